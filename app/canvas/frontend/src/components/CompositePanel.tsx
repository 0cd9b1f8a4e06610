/** The open composite: its name, and the settings that its uses may choose. */

import { useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { nameProblem } from "../model/group";
import { compositesOf, opened, uses } from "../model/scope";
import { parseValue, showValue } from "../model/values";
import type { Json, SettingSpec } from "../protocol";
import { removeDefault, renameComposite, renameDefault, setDefault, settingProblem } from "../store/compositeCommands";
import { Icon } from "./icons";

export function CompositePanel() {
  const { editor } = useBench();
  const name = useEditor((s) => opened(s.whole.graph, s.scope));
  const part = useEditor((s) => compositesOf(s.whole.graph)[name]);
  const count = useEditor((s) => uses(s.whole.graph, name));
  if (!part) return null;
  const settings = part.settings ?? {};
  return (
    <div className="inspector" data-testid="composite-panel" data-family="composite">
      <header className="inspector-head">
        <span className="dot" />
        <h2>{name}</h2>
      </header>
      <p className="summary">
        A block of your own, used {count === 1 ? "once" : `${count} times`}. A change here applies to every use.
      </p>
      <div className="form">
        <NameField key={name} name={name} />
      </div>
      <section className="section">
        <h3>Settings</h3>
        <div className="form">
          {Object.entries(settings).map(([key, value]) => (
            <Row key={key} name={name} id={key} value={value} taken={settings} />
          ))}
        </div>
        <button
          type="button"
          className="button outline small"
          data-testid="composite-add"
          onClick={(e) => add(e.currentTarget)}
        >
          <Icon name="plus" size={12} /> Add a setting
        </button>
        <AddHint any={Object.keys(settings)[0]} />
      </section>
    </div>
  );

  function add(button: HTMLElement) {
    const free = ["channels", "features", ...Array.from({ length: 99 }, (_, i) => `setting${i + 1}`)];
    const key = free.find((k) => !Object.hasOwn(settings, k)) as string;
    setDefault(editor, name, key, 16);
    setTimeout(() =>
      button.closest(".section")?.querySelector<HTMLInputElement>(`[data-testid="default-name-${key}"]`)?.select(),
    );
  }
}

function AddHint({ any = "channels" }: { any?: string }) {
  return (
    <p className="help">
      Inside, write <code>={any}</code> or <code>={any} * 2</code> as the value of a setting.
    </p>
  );
}

function NameField({ name }: { name: string }) {
  const { editor } = useBench();
  const [text, setText] = useState(name);
  const reason = text === name ? "" : nameProblem(text, editor.state.whole.graph, editor.state.catalogue);
  const done = () => {
    if (text === name) return;
    if (reason) setText(name);
    else renameComposite(editor, name, text);
  };
  return (
    <div className="form-row">
      <label htmlFor="composite-name">name</label>
      <div>
        <input
          id="composite-name"
          className="field mono"
          value={text}
          maxLength={40}
          spellCheck={false}
          aria-invalid={reason !== ""}
          data-testid="composite-name"
          onChange={(e) => setText(e.target.value)}
          onBlur={done}
          onKeyDown={(e) => e.key === "Enter" && done()}
        />
        <p className={reason ? "help bad" : "help"}>{reason || "The name of its class in the source."}</p>
      </div>
    </div>
  );
}

interface RowProps {
  name: string;
  id: string;
  value: Json;
  taken: Record<string, Json>;
}

/** What the value may become: a number, several numbers, True or False, or a word. */
function read(text: string): Json | undefined {
  for (const kind of ["int", "float", "bool", "dims"] as const) {
    const parsed = parseValue({ name: "", help: "", kind } as SettingSpec, text);
    if ("value" in parsed) return parsed.value;
  }
  return /^\w+$/.test(text.trim()) ? text.trim() : undefined;
}

function Row({ name, id, value, taken }: RowProps) {
  const { editor } = useBench();
  const [key, setKey] = useState(id);
  const [draft, setDraft] = useState<string | null>(null);
  const reason = key === id ? "" : settingProblem(key, taken);
  const bad = draft !== null && read(draft) === undefined;
  const rename = () => {
    if (key === id) return;
    if (reason) setKey(id);
    else renameDefault(editor, name, id, key);
  };
  const change = (text: string) => {
    setDraft(text);
    const next = read(text);
    if (next !== undefined) setDefault(editor, name, id, next);
  };
  return (
    <div className="default-row">
      <input
        className="field mono"
        value={key}
        maxLength={40}
        spellCheck={false}
        aria-label={`Name of the setting ${id}`}
        aria-invalid={reason !== ""}
        title={reason}
        data-testid={`default-name-${id}`}
        onChange={(e) => setKey(e.target.value)}
        onBlur={rename}
        onKeyDown={(e) => e.key === "Enter" && rename()}
      />
      <input
        className="field"
        value={draft ?? showValue(value)}
        maxLength={80}
        spellCheck={false}
        aria-label={`Default of ${id}`}
        aria-invalid={bad}
        data-testid={`default-${id}`}
        onChange={(e) => change(e.target.value)}
        onBlur={() => setDraft(null)}
      />
      <button
        type="button"
        className="button small icon"
        aria-label={`Remove the setting ${id}`}
        title="Remove"
        data-testid={`default-remove-${id}`}
        onClick={() => removeDefault(editor, name, id)}
      >
        <Icon name="trash" size={13} />
      </button>
    </div>
  );
}
