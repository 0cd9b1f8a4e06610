/** How a block learns, in the inspector: frozen, or with a learning rate of its own. */

import { useEffect, useId, useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useSettingHelp } from "../hooks/useSettingHelp";
import { isUnused } from "../model/graph";
import { factorProblem, hasWeights, ownerOf, setFactor, setFrozen } from "../store/learningCommands";

export function Learning({ id }: { id: string }) {
  const { editor } = useBench();
  const owner = useEditor((s) => s.drawing.graph.nodes[id]?.weights_of ?? id);
  const frozen = useEditor((s) => s.drawing.graph.nodes[owner]?.frozen === true);
  const factor = useEditor((s) => s.drawing.graph.nodes[owner]?.lr_factor ?? 1);
  const unused = useEditor((s) => isUnused(s.drawing.graph, id));
  useEditor((s) => s.annotations);
  const name = useId();
  const help = frozen
    ? "Training does not change its weights or its batch norm statistics."
    : "Training changes its weights.";
  const row = useSettingHelp("frozen", help);
  if (!hasWeights(editor, id) || (unused && !frozen)) return null; // nothing trains what nobody calls
  return (
    <section className="section" data-testid="learning">
      <h3>Training</h3>
      {owner !== id && (
        <p className="muted">
          As in <code>{ownerOf(editor, id)}</code>, whose weights it uses.
        </p>
      )}
      {owner === id && (
        <div className="form">
          <div className="form-row" {...row}>
            <label htmlFor={name}>frozen</label>
            <div>
              <span className="switch">
                <input
                  id={name}
                  type="checkbox"
                  role="switch"
                  checked={frozen}
                  data-testid="field-frozen"
                  aria-describedby={`${name}-help`}
                  onChange={(e) => setFrozen(editor, [id], e.target.checked)}
                />
              </span>
              <p className="hidden-text" id={`${name}-help`}>
                {help}
              </p>
            </div>
          </div>
          {!frozen && <FactorField key={id} id={id} factor={factor} />}
        </div>
      )}
    </section>
  );
}

const FACTOR = "Multiplies the learning rate of the run.";

function FactorField({ id, factor }: { id: string; factor: number }) {
  const { editor } = useBench();
  const [text, setText] = useState(String(factor));
  const name = useId();
  const problem = factorProblem(text);
  useEffect(() => setText((now) => (Number(now) === factor ? now : String(factor))), [factor]);
  const row = useSettingHelp("lr factor", FACTOR);
  return (
    <div className="form-row" {...row}>
      <label htmlFor={name}>lr factor</label>
      <div>
        <input
          id={name}
          className="field"
          inputMode="decimal"
          value={text}
          aria-invalid={problem !== ""}
          data-testid="field-lr-factor"
          aria-describedby={`${name}-help`}
          onChange={(e) => {
            setText(e.target.value);
            if (!factorProblem(e.target.value)) setFactor(editor, id, Number(e.target.value.trim()));
          }}
          onBlur={() => problem && setText(String(factor))}
        />
        <p className={problem ? "help bad" : "hidden-text"} id={`${name}-help`}>
          {problem || FACTOR}
        </p>
      </div>
    </div>
  );
}
