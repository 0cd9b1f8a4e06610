/** The bar of Build: the project, the verbs that concern the whole drawing, and Train. */

import { type Action, type Context, isEnabled, titleOf, whyNot } from "../actions/action";
import { redo, undo } from "../actions/editActions";
import { oneSample, PANELS, STEPS, train } from "../actions/viewActions";
import { useBench, useEditor } from "../hooks/useEditor";
import { usePanels } from "../hooks/usePanels";
import { useSample } from "../hooks/useSample";
import { nextStep } from "../model/nextStep";
import { openPanel } from "../store/panels";
import type { Status } from "../store/slices/sync";
import { ArrangeMenu } from "./ArrangeMenu";
import { CostsMenu } from "./CostsMenu";
import { Icon, type IconName } from "./icons";
import { ShareMenu } from "./ShareMenu";

const STATUS: Record<Status, [IconName, string]> = {
  loading: ["spin", "loading…"],
  checked: ["check", "checked"],
  checking: ["spin", "checking…"],
  offline: ["offline", "not connected"],
  refused: ["error", "not accepted"],
  failed: ["error", "not checked"],
};

export function Toolbar() {
  const name = useEditor((s) => s.name);
  const { closed, room } = usePanels();
  return (
    <div className="bar" role="toolbar" aria-label="Project">
      {(closed.palette || room === "none") && <ActionButton icon="panelLeft" action={PANELS.palette} />}
      <div className="bar-name">
        <strong className="cut" data-testid="project-name">
          {name || "Untitled"}
        </strong>
        <StatusChip />
      </div>
      <div className="bar-group">
        <ActionButton icon="undo" action={undo} />
        <ActionButton icon="redo" action={redo} />
      </div>
      <div className="bar-group">
        <ArrangeMenu />
        <Values />
        <Step />
      </div>
      <CostsMenu />
      <ProblemCount />
      {(closed.side || room === "none" || room === "palette") && (
        <ActionButton icon="panelRight" action={PANELS.side} />
      )}
      <ShareMenu />
      <TrainButton />
    </div>
  );
}

interface ToolProps {
  icon: IconName;
  label: string;
  id: string;
  text?: string;
  off?: boolean;
  on?: boolean;
  onClick: () => void;
}

/** One that is off keeps the focus and its title, so that it can say why. */
function Tool({ icon, label, id, text, off = false, on, onClick }: ToolProps) {
  const name = text ? `${text}: ${label}` : label; // what is read aloud begins with what is seen
  return (
    <button
      type="button"
      className={text ? "button tool" : "button icon"}
      title={label}
      aria-label={name}
      aria-disabled={off || undefined}
      aria-pressed={on}
      data-testid={id}
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
  on?: boolean;
}

/** The button of an action: its title with the key, off while it cannot be done. */
function ActionButton({ icon, action, text, on }: ActionProps) {
  const context: Context = { ...useBench(), root: null };
  const enabled = useEditor(() => isEnabled(action, context));
  const title = useEditor(() => titleOf(action, context));
  const press = () => (enabled ? action.perform(context) : context.editor.notify(sentence(whyNot(action, context))));
  return (
    <Tool icon={icon} label={title} id={`toolbar-${action.name}`} text={text} on={on} off={!enabled} onClick={press} />
  );
}

const sentence = (why: string): string => `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;

function Values() {
  const on = useSample((s) => s.open);
  return <ActionButton icon="eye" action={oneSample} text="Values" on={on} />;
}

/** Begins to go through a training step; while one is gone through, its own bar has the ways on. */
function Step() {
  const { editor, sync } = useBench();
  const on = useSample((s) => s.steps !== null);
  const over = STEPS[0] as Action;
  return (
    <Tool
      icon="step"
      label={titleOf(over, { editor, sync, root: null })}
      id="step-begin"
      text="Step"
      on={on}
      onClick={() => over.perform({ editor, sync, root: null })}
    />
  );
}

function StatusChip() {
  const { sync } = useBench();
  const status = useEditor((s) => s.status);
  const place = useEditor((s) => s.place);
  const saved = useEditor((s) => s.saved && s.ackRev >= s.rev);
  const why = useEditor((s) => s.refusal || s.annotations.failed);
  const [icon, text] = STATUS[status];
  const [kept, where] = place
    ? saved
      ? ["saved", ` in ${place}`]
      : ["draft", `, differs from ${place}`]
    : ["draft kept", ""];
  return (
    <span
      className="status"
      data-testid="status"
      data-status={status}
      role="status"
      title={why || (status === "checked" ? kept + where : "")}
    >
      <Icon name={icon} size={13} />
      <span className="cut">
        {status === "checked" ? (
          <>
            <span className="hidden-text">{text} · </span>
            {kept}
            <span className="hidden-text">{where}</span>
          </>
        ) : why ? (
          `${text}: ${why}`
        ) : (
          text
        )}
      </span>
      {status === "failed" && (
        <button type="button" className="button small outline" data-testid="status-retry" onClick={() => sync.retry()}>
          Try again
        </button>
      )}
    </span>
  );
}

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
      title="Problems (3)"
      data-testid="problem-count"
      onClick={() => {
        openPanel("side");
        editor.set({ tab: "problems" });
      }}
    >
      <Icon name={next ? "plus" : errors ? "error" : warnings ? "warning" : "check"} size={14} />{" "}
      <span className="problem-words">{next || text || "no problems"}</span>
    </button>
  );
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
