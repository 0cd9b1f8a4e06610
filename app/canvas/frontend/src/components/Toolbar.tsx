/** Name and state of the project, the verbs that concern the whole drawing, and Train. */

import { type Action, type Context, isEnabled, titleOf, whyNot } from "../actions/action";
import { redo, undo } from "../actions/editActions";
import { help, oneSample, search, train } from "../actions/viewActions";
import { useBench, useEditor } from "../hooks/useEditor";
import { useLesson } from "../hooks/useLesson";
import { asks } from "../model/lesson";
import { brief, grouped } from "../model/values";
import type { Status } from "../store/slices/sync";
import { ArrangeMenu } from "./ArrangeMenu";
import { HeatMenu } from "./Heat";
import { Icon, type IconName } from "./icons";

const STATUS: Record<Status, [IconName, string]> = {
  loading: ["spin", "loading…"],
  checked: ["check", "checked"],
  checking: ["spin", "checking…"],
  offline: ["offline", "not connected"],
  refused: ["error", "not accepted"],
  failed: ["error", "not checked"],
};

interface Props {
  palette: boolean;
  side: boolean;
  togglePalette: () => void;
  toggleSide: () => void;
}

export function Toolbar({ palette, side, togglePalette, toggleSide }: Props) {
  const name = useEditor((s) => s.name);
  const context: Context = { ...useBench(), root: null };
  return (
    <div className="bar" role="toolbar" aria-label="Project">
      <Tool
        icon="panelLeft"
        label={palette ? "Hide the blocks" : "Show the blocks"}
        id="toggle-palette"
        onClick={togglePalette}
      />
      <div className="bar-name">
        <strong className="cut" data-testid="project-name">
          {name || "Untitled"}
        </strong>
        <StatusChip />
      </div>
      <div className="bar-group">
        <ActionButton icon="undo" action={undo} />
        <ActionButton icon="redo" action={redo} />
        <span className="rule" />
        <ArrangeMenu />
        <ActionButton icon="search" action={search} text="Find" often />
        <ActionButton icon="eye" action={oneSample} text="Values" often />
        <HeatMenu />
      </div>
      <Totals />
      <ProblemCount />
      <Tool
        icon="panelRight"
        label={side ? "Hide the inspector" : "Show the inspector"}
        id="toggle-side"
        onClick={toggleSide}
      />
      <button
        type="button"
        className="button icon"
        title={titleOf(help, context)}
        aria-label="Keyboard shortcuts"
        data-testid="toolbar-help"
        onClick={() => help.perform(context)}
      >
        ?
      </button>
      <TrainButton />
    </div>
  );
}

interface ToolProps {
  icon: IconName;
  label: string;
  id: string;
  /** Beside the icon; of an action that is often wanted also where the bar is narrow. */
  text?: string | undefined;
  often?: boolean | undefined;
  off?: boolean;
  onClick: () => void;
}

/** One that is off keeps the focus and its title, so that it can say why. */
function Tool({ icon, label, id, text, often = false, off = false, onClick }: ToolProps) {
  const name = text ? `${text}: ${label}` : label; // what is read aloud begins with what is seen
  return (
    <button
      type="button"
      className={often ? "button icon often" : "button icon"}
      title={label}
      aria-label={name}
      aria-disabled={off || undefined}
      data-testid={`toolbar-${id}`}
      onClick={onClick}
    >
      <Icon name={icon} />
      {text && (
        <span className="tool-text" aria-hidden="true">
          {text}
        </span>
      )}
    </button>
  );
}

interface ActionProps {
  icon: IconName;
  action: Action;
  text?: string;
  often?: boolean;
}

/** The button of an action: its title with the key, off while it cannot be done. */
function ActionButton({ icon, action, text, often }: ActionProps) {
  const context: Context = { ...useBench(), root: null };
  const enabled = useEditor(() => isEnabled(action, context));
  const title = useEditor(() => titleOf(action, context));
  const press = () => (enabled ? action.perform(context) : context.editor.notify(sentence(whyNot(action, context))));
  return <Tool icon={icon} label={title} id={action.name} text={text} often={often} off={!enabled} onClick={press} />;
}

const sentence = (why: string): string => `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;

function StatusChip() {
  const { sync } = useBench();
  const status = useEditor((s) => s.status);
  const place = useEditor((s) => s.place);
  const saved = useEditor((s) => s.saved && s.ackRev >= s.rev);
  const why = useEditor((s) => s.refusal || s.annotations.failed);
  const [icon, text] = STATUS[status];
  const kept =
    status !== "checked" ? "" : place ? (saved ? `saved in ${place}` : `draft, differs from ${place}`) : "draft kept";
  return (
    <span className="status" data-testid="status" data-status={status} role="status" title={why || kept}>
      <Icon name={icon} size={13} />
      <span className="cut">
        {why ? `${text}: ${why}` : text}
        {kept && <span className="status-kept"> · {kept}</span>}
      </span>
      {status === "failed" && (
        <button type="button" className="button small outline" data-testid="status-retry" onClick={() => sync.retry()}>
          Try again
        </button>
      )}
    </span>
  );
}

function Totals() {
  const params = useEditor((s) => s.annotations.params);
  const multAdds = useEditor((s) => s.annotations.multAdds);
  const hidden = useLesson((s) => asks(s.focus, "total"));
  if (hidden) return null;
  return (
    <dl className="totals" data-testid="totals">
      <div title={`${grouped(params)} learnable numbers`}>
        <dt>parameters</dt>
        <dd data-testid="total-params">{grouped(params)}</dd>
      </div>
      <div title={`${grouped(multAdds)} multiplications with additions for one sample`}>
        <dt>mult-adds</dt>
        <dd>{brief(multAdds)}</dd>
      </div>
    </dl>
  );
}

/** What is not yet there in a drawing that somebody has only begun; nothing is wrong with it. */
const UNFINISHED = new Set(["no_input", "no_output", "unused_input", "unused_result"]);

function ProblemCount() {
  const { editor } = useBench();
  const next = useEditor((s) => nextStep(s.annotations, s.drawing.graph.nodes));
  const errors = useEditor((s) => s.annotations.errors.length);
  const warnings = useEditor((s) => s.annotations.warnings.length);
  const empty = useEditor((s) => Object.keys(s.drawing.graph.nodes).length === 0);
  const failed = useEditor((s) => s.annotations.failed !== "");
  const text = [
    errors ? `${errors} ${errors === 1 ? "error" : "errors"}` : "",
    warnings ? `${warnings} ${warnings === 1 ? "warning" : "warnings"}` : "",
  ]
    .filter(Boolean)
    .join(", ");
  if (empty || failed) return null;
  return (
    <button
      type="button"
      className="button small problem-count"
      data-level={next ? "next" : errors ? "error" : warnings ? "warning" : "ok"}
      data-testid="problem-count"
      onClick={() => editor.set({ tab: "problems" })}
    >
      <Icon name={next ? "plus" : errors ? "error" : warnings ? "warning" : "check"} size={14} />{" "}
      <span className="problem-words">{next || text || "no problems"}</span>
    </button>
  );
}

/** What to do next where a drawing lacks its end and nothing else is wrong; "" else. */
export function nextStep({ errors, warnings }: Findings, nodes: Readonly<Record<string, unknown>>): string {
  const all = [...errors, ...warnings];
  if (!errors.some((e) => e.code === "no_output") || !all.every((f) => UNFINISHED.has(f.code))) return "";
  return Object.keys(nodes).length < 3 ? "next: add a layer" : "next: add an Output";
}

interface Findings {
  errors: readonly { code: string }[];
  warnings: readonly { code: string }[];
}

function TrainButton() {
  const context: Context = { ...useBench(), root: null };
  const off = useEditor(() => !isEnabled(train, context));
  const title = useEditor(() => whyNot(train, context) || titleOf(train, context));
  return (
    <button
      type="button"
      className="button primary"
      data-testid="toolbar-train"
      aria-disabled={off}
      title={title}
      onClick={() => train.perform(context)}
    >
      <Icon name="play" size={13} /> Train
    </button>
  );
}
