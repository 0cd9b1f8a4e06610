/** Id, label and repeat of a block. */

import { useId, useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useSettingHelp } from "../hooks/useSettingHelp";
import { idProblem } from "../model/names";
import { renameNode, setDisplay } from "../store/editCommands";

const ID = "The name of the block in the source, the weights and the errors.";

export function IdField({ id }: { id: string }) {
  const { editor } = useBench();
  const [text, setText] = useState(id);
  const catalogue = useEditor((s) => s.catalogue);
  const nodes = useEditor((s) => s.drawing.graph.nodes);
  const name = useId();
  const reason = text === id ? "" : idProblem(text, catalogue, nodes);
  const done = () => {
    if (text !== id && !reason) renameNode(editor, id, text);
    else setText(id);
  };
  const row = useSettingHelp("id", ID);
  return (
    <div className="form-row" {...row}>
      <label htmlFor={name}>id</label>
      <div>
        <input
          id={name}
          className="field mono"
          value={text}
          spellCheck={false}
          maxLength={60}
          data-testid="field-id"
          aria-invalid={reason !== ""}
          aria-describedby={`${name}-help`}
          onChange={(e) => setText(e.target.value)}
          onBlur={done}
          onKeyDown={(e) => {
            if (e.key === "Enter" && !reason) done();
            if (e.key === "Escape") setText(id);
          }}
        />
        <p id={`${name}-help`} className={reason ? "help bad" : "hidden-text"} data-testid="field-id-help">
          {reason || ID}
        </p>
      </div>
    </div>
  );
}

export function LabelField({ id, label }: { id: string; label: string }) {
  const { editor } = useBench();
  const name = useId();
  return (
    <div className="form-row">
      <label htmlFor={name}>label</label>
      <input
        id={name}
        className="field"
        value={label}
        maxLength={80}
        placeholder="shown on the canvas only"
        data-testid="field-label"
        onChange={(e) => setDisplay(editor, id, "label", e.target.value)}
      />
    </div>
  );
}

const MOST = 1000;

export function RepeatField({ id, repeat }: { id: string; repeat: number }) {
  const { editor } = useBench();
  const [text, setText] = useState(String(repeat));
  const name = useId();
  const value = Number(text);
  const bad = !/^\d+$/.test(text.trim()) || value < 1 || value > MOST;
  return (
    <div className="form-row">
      <label htmlFor={name}>repeat</label>
      <div>
        <input
          id={name}
          className="field"
          inputMode="numeric"
          value={text}
          aria-invalid={bad}
          data-testid="field-repeat"
          onChange={(e) => {
            setText(e.target.value);
            const next = Number(e.target.value);
            if (/^\d+$/.test(e.target.value.trim()) && next >= 1 && next <= MOST)
              setDisplay(editor, id, "repeat", next);
          }}
          onBlur={() => bad && setText(String(repeat))}
        />
        {bad && <p className="help bad">A whole number from 1 to {MOST}.</p>}
      </div>
    </div>
  );
}
