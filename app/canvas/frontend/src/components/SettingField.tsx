/** One setting of a block: what was typed, checked at once, with its range, unit and help. */

import { Fragment, type KeyboardEvent, useId, useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useSettingHelp } from "../hooks/useSettingHelp";
import { same } from "../model/catalogue";
import { evaluate, expressionProblem, isExpression } from "../model/expression";
import { compositesOf, opened } from "../model/scope";
import { type Parsed, parseValue, showValue } from "../model/values";
import type { Json, SettingSpec, Settings } from "../protocol";
import { promote } from "../store/compositeCommands";
import { setSetting } from "../store/editCommands";
import { InferredFrom } from "./InferredFrom";

interface Props {
  id: string;
  spec: SettingSpec;
  value: Json | undefined;
  inferred: Json | undefined;
}

export function SettingField({ id, spec, value, inferred }: Props) {
  const name = useId();
  const control = isExpression(value) ? Text : spec.kind === "bool" ? Switch : spec.kind === "choice" ? Choice : Text;
  const Control = control;
  const row = useSettingHelp(spec.name, helpOf(spec));
  return (
    <div className="form-row" data-given={value !== undefined || undefined} {...row}>
      <label htmlFor={name} title={spec.name}>
        <Breakable name={spec.name} />
      </label>
      <Control id={id} spec={spec} value={value} inferred={inferred} name={name} />
    </div>
  );
}

/** A name that goes on in the next line at an underscore, not within a word. */
function Breakable({ name }: { name: string }) {
  const [first, ...more] = name.split("_");
  return (
    <>
      {first}
      {more.map((part, place) => (
        <Fragment key={place}>
          _<wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}

interface ControlProps extends Props {
  name: string;
}

/** A value equal to torch's default is not written to the file. */
function useSet(id: string, spec: SettingSpec): (value: Json | undefined) => void {
  const { editor } = useBench();
  const pace = spec.kind === "bool" || spec.kind === "choice" ? "now" : "typing";
  return (value) => {
    const plain = value !== undefined && same(value, spec.default);
    setSetting(editor, id, spec.name, plain ? undefined : value, pace);
  };
}

function Switch({ id, spec, value, name }: ControlProps) {
  const set = useSet(id, spec);
  const on = (value ?? spec.default) === true;
  return (
    <div>
      <span className="switch">
        <input
          id={name}
          type="checkbox"
          role="switch"
          checked={on}
          data-testid={`setting-${spec.name}`}
          aria-describedby={`${name}-help`}
          onChange={(e) => set(e.target.checked)}
        />
        <span aria-hidden="true">{on ? "True" : "False"}</span>
      </span>
      <Help spec={spec} name={name} />
    </div>
  );
}

function Choice({ id, spec, value, name }: ControlProps) {
  const set = useSet(id, spec);
  const choices = spec.choices ?? [];
  const shown = value ?? spec.default;
  const odd = typeof shown === "string" && !choices.includes(shown);
  return (
    <div>
      <select
        id={name}
        className="field"
        value={showValue(shown)}
        data-testid={`setting-${spec.name}`}
        aria-describedby={`${name}-help`}
        onChange={(e) => set(e.target.value === "None" && spec.optional ? null : e.target.value)}
      >
        {(spec.optional || shown == null) && <option value={shown == null ? showValue(shown) : "None"}>None</option>}
        {odd && <option value={shown}>{shown}</option>}
        {choices.map((c) => (
          <option key={c}>{c}</option>
        ))}
      </select>
      <Help spec={spec} name={name} />
    </div>
  );
}

function Text({ id, spec, value, inferred, name }: ControlProps) {
  const set = useSet(id, spec);
  const [draft, setDraft] = useState<string | null>(null);
  const settings = useEditor((s) => compositesOf(s.whole.graph)[opened(s.whole.graph, s.scope)]?.settings);
  const parse = (text: string): Parsed =>
    settings && isExpression(text.trim()) ? expression(text.trim(), settings) : parseValue(spec, text);
  const parsed = draft === null ? null : parse(draft);
  const error = parsed && "error" in parsed ? parsed.error : "";
  const change = (text: string) => {
    setDraft(text);
    const next = parse(text);
    if ("value" in next) set(next.value);
    else if ("remove" in next) set(undefined);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    const now = value ?? inferred ?? spec.default;
    if (event.key === "Escape") setDraft(null);
    if (!step || spec.kind !== "int" || typeof now !== "number") return;
    event.preventDefault();
    const next = parseValue(spec, String(now + step));
    if (!("value" in next)) return;
    setDraft(null);
    set(next.value);
  };
  return (
    <div>
      <span className="with-unit">
        <input
          id={name}
          className="field"
          value={draft ?? showValue(value)}
          spellCheck={false}
          autoComplete="off"
          maxLength={200}
          inputMode={spec.kind === "int" ? "numeric" : spec.kind === "float" ? "decimal" : "text"}
          placeholder={placeholder(spec, inferred)}
          aria-invalid={error !== ""}
          aria-describedby={`${name}-help`}
          data-testid={`setting-${spec.name}`}
          data-inferred={inferred !== undefined && value === undefined ? true : undefined}
          onChange={(e) => change(e.target.value)}
          onBlur={() => setDraft(null)}
          onKeyDown={onKey}
        />
        {spec.unit && <span className="unit">{spec.unit}</span>}
      </span>
      <Help spec={spec} name={name} error={error} />
      {inferred !== undefined && value === undefined && <InferredFrom id={id} spec={spec} inferred={inferred} />}
      {settings && <Expression id={id} name={spec.name} value={value} settings={settings} />}
    </div>
  );
}

function expression(text: string, settings: Settings): Parsed {
  const error = expressionProblem(text, settings);
  return error ? { error } : { value: text };
}

/** Inside a composite: what an expression is worth here, or the offer to make one. */
function Expression({
  id,
  name,
  value,
  settings,
}: {
  id: string;
  name: string;
  value: Json | undefined;
  settings: Settings;
}) {
  const { editor } = useBench();
  if (isExpression(value)) {
    const bad = expressionProblem(value, settings);
    return (
      <p className={bad ? "help bad" : "help"}>
        {bad || `${showValue(evaluate(value, settings))} unless a use sets another value.`}
      </p>
    );
  }
  if (typeof value !== "number") return null;
  return (
    <button
      type="button"
      className="button small promote"
      data-testid={`promote-${name}`}
      onClick={() => promote(editor, id, name)}
    >
      Make it a setting of the composite
    </button>
  );
}

function placeholder(spec: SettingSpec, inferred: Json | undefined): string {
  if (inferred !== undefined) return `${showValue(inferred)} from the wire`;
  if (spec.inferred) return "from the wire";
  return "default" in spec ? showValue(spec.default) : "required";
}

/** Read out with the field; to be seen it stands at the foot of the inspector, for the field looked at. */
function Help({ spec, name, error = "" }: { spec: SettingSpec; name: string; error?: string }) {
  return (
    <p
      id={`${name}-help`}
      className={error ? "help bad" : "hidden-text"}
      data-testid={error ? `setting-${spec.name}-error` : undefined}
    >
      {error || helpOf(spec)}
    </p>
  );
}

const helpOf = (spec: SettingSpec): string => `${spec.help}${range(spec)}`;

function range({ low, high }: SettingSpec): string {
  if (low != null && high != null) return ` From ${low} to ${high}.`;
  if (low != null) return ` At least ${low}.`;
  return high != null ? ` At most ${high}.` : "";
}
