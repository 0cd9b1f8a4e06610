/** Name and state of the project, the verbs that concern the whole drawing, and Train. */

import type { ReactNode } from "react";
import { brief, grouped } from "../model/values";
import type { Status } from "../store/editor";
import { tidyUp } from "../store/arrange";
import { jot } from "../store/jot";
import { arrange } from "../store/verbs";
import { MOD, useBench, useEditor } from "./context";
import { HeatMenu } from "./Heat";
import { Icon, type IconName } from "./icons";

const STATUS: Record<Status, [IconName, string]> = {
  loading: ["spin", "loading…"],
  checked: ["check", "checked"],
  checking: ["spin", "checking…"],
  offline: ["offline", "not connected"],
  refused: ["error", "not taken"],
  failed: ["error", "not checked"],
};

interface Props {
  onHelp: () => void;
  palette: boolean;
  side: boolean;
  togglePalette: () => void;
  toggleSide: () => void;
}

export function Toolbar({ onHelp, palette, side, togglePalette, toggleSide }: Props) {
  const { editor } = useBench();
  const name = useEditor((s) => s.name);
  const direction = useEditor((s) => s.direction);
  const canUndo = useEditor((s) => s.past.length > 0);
  const canRedo = useEditor((s) => s.future.length > 0);
  const some = useEditor((s) => s.nodes.size > 0);
  const other = direction === "down" ? "right" : "down";
  return (
    <div className="bar" role="toolbar" aria-label="Project">
      <Tool icon="panelLeft" label={palette ? "Hide the blocks" : "Show the blocks"} id="toggle-palette" onClick={togglePalette} />
      <div className="bar-name">
        <strong className="cut" data-testid="project-name">{name || "Untitled"}</strong>
        <StatusChip />
      </div>
      <div className="bar-group">
        <Tool icon="undo" label={`Undo (${MOD}+Z)`} id="undo" disabled={!canUndo} onClick={() => editor.undo()} />
        <Tool icon="redo" label={`Redo (${MOD}+Shift+Z)`} id="redo" disabled={!canRedo} onClick={() => editor.redo()} />
        <span className="rule" />
        <Tool icon="tidy" label="Tidy up the layout (L)" id="layout" onClick={() => tidyUp(editor)} />
        <Tool
          icon={direction} id="direction" onClick={() => arrange(editor, other)}
          label={direction === "down" ? "Data flows down; lay it out to the right (Shift+L)" : "Data flows right; lay it out downwards (Shift+L)"}
        />
        <Tool icon="group" label={`Group the selected blocks (${MOD}+G)`} id="group" disabled={!some} onClick={() => editor.set({ overlay: { kind: "group" } })} />
        <Tool icon="note" label="Write a note (N)" id="note" onClick={() => jot(editor, editor.middle())} />
        <Tool icon="search" label={`Search this drawing (${MOD}+K)`} id="search" onClick={() => editor.set({ overlay: { kind: "search" } })} />
        <Tool icon="fit" label="Show everything (F)" id="fit" onClick={() => editor.lookAt([])} />
        <HeatMenu />
      </div>
      <Totals />
      <ProblemCount />
      <Tool icon="panelRight" label={side ? "Hide the inspector" : "Show the inspector"} id="toggle-side" onClick={toggleSide} />
      <button type="button" className="button icon" title="Keyboard shortcuts (?)" aria-label="Keyboard shortcuts" data-testid="toolbar-help" onClick={onHelp}>?</button>
      <TrainButton />
    </div>
  );
}

interface ToolProps {
  icon: IconName;
  label: string;
  id: string;
  disabled?: boolean;
  onClick: () => void;
  children?: ReactNode;
}

function Tool({ icon, label, id, disabled = false, onClick }: ToolProps) {
  return (
    <button type="button" className="button icon" title={label} aria-label={label} disabled={disabled} data-testid={`toolbar-${id}`} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

function StatusChip() {
  const { sync } = useBench();
  const status = useEditor((s) => s.status);
  const place = useEditor((s) => s.place);
  const saved = useEditor((s) => s.saved && s.ackRev >= s.rev);
  const why = useEditor((s) => s.refusal || s.notes.failed);
  const [icon, text] = STATUS[status];
  const kept = status !== "checked" ? "" : place ? (saved ? `saved in ${place}` : `draft, differs from ${place}`) : "draft kept";
  return (
    <span className="status" data-testid="status" data-status={status} role="status" title={why || kept}>
      <Icon name={icon} size={13} />
      <span className="cut">{why ? `${text}: ${why}` : text}{kept && <span className="status-kept"> · {kept}</span>}</span>
      {status === "failed" && (
        <button type="button" className="button small outline" data-testid="status-retry" onClick={() => sync.retry()}>Try again</button>
      )}
    </span>
  );
}

function Totals() {
  const params = useEditor((s) => s.notes.params);
  const multAdds = useEditor((s) => s.notes.multAdds);
  return (
    <dl className="totals" data-testid="totals">
      <div title={`${grouped(params)} learnable numbers`}><dt>parameters</dt><dd data-testid="total-params">{grouped(params)}</dd></div>
      <div title={`${grouped(multAdds)} multiplications with additions for one sample`}><dt>mult-adds</dt><dd>{brief(multAdds)}</dd></div>
    </dl>
  );
}

function ProblemCount() {
  const { editor } = useBench();
  const errors = useEditor((s) => s.notes.errors.length);
  const warnings = useEditor((s) => s.notes.warnings.length);
  const empty = useEditor((s) => Object.keys(s.drawing.graph.nodes).length === 0);
  const failed = useEditor((s) => s.notes.failed !== "");
  const text = [
    errors ? `${errors} ${errors === 1 ? "error" : "errors"}` : "",
    warnings ? `${warnings} ${warnings === 1 ? "warning" : "warnings"}` : "",
  ].filter(Boolean).join(", ");
  if (empty || failed) return null;
  return (
    <button
      type="button" className="button small problem-count" data-level={errors ? "error" : warnings ? "warning" : "ok"}
      data-testid="problem-count" onClick={() => editor.set({ tab: "problems" })}
    >
      <Icon name={errors ? "error" : warnings ? "warning" : "check"} size={14} /> {text || "no problems"}
    </button>
  );
}

function TrainButton() {
  const { editor, sync } = useBench();
  const errors = useEditor((s) => s.notes.errors.length);
  const empty = useEditor((s) => Object.keys(s.drawing.graph.nodes).length === 0);
  const train = () => {
    if (!errors && !empty) return sync.act("train");
    editor.set({ tab: "problems" });
    editor.say(empty ? "Draw a network first: it needs at least an Input and an Output." : `Training needs a network without errors. ${errors === 1 ? "One is" : `${errors} are`} left.`, "error");
  };
  return (
    <button type="button" className="button primary" data-testid="toolbar-train" aria-disabled={errors > 0 || empty} onClick={train}>
      <Icon name="play" size={13} /> Train
    </button>
  );
}
