/** Stepping through one training step: where it stands, and what is there. */

import { useBench, useEditor } from "../hooks/useEditor";
import { useSample } from "../hooks/useSample";
import { short, type StepEvent } from "../model/sample";
import { shapeText } from "../model/signature";
import { endSteps, showEvent, stepOn } from "../store/stepping";
import { Icon } from "./icons";
import { Probe } from "./Probe";
import { SourceLines } from "./SourceLines";

const PHASES: Record<StepEvent["kind"], string> = {
  forward: "Forward",
  loss: "Loss",
  backward: "Backward",
  update: "Update",
};

/** In the strip while a step is gone through: the ways on, then phase and place; what changes its width stands last, so that no button moves. */
export function StepBar() {
  const { editor } = useBench();
  const steps = useSample((s) => s.steps);
  if (!steps) return null;
  const { events, at } = steps,
    now = events[at];
  return (
    <div className="step-bar" data-testid="step-bar">
      <button
        type="button"
        className="button small"
        data-testid="step-back"
        disabled={at === 0}
        onClick={() => showEvent(editor, at - 1)}
      >
        Back
      </button>
      <button
        type="button"
        className="button small outline"
        title="Step over: run the next block (F10)"
        data-testid="step-over"
        onClick={() => stepOn(editor, "over")}
      >
        Over
      </button>
      <button
        type="button"
        className="button small outline"
        title="Step into: go to the next event, also inside composites (F11)"
        data-testid="step-into"
        onClick={() => stepOn(editor, "into")}
      >
        Into
      </button>
      <button
        type="button"
        className="button small outline"
        title="Step out of this composite (Shift+F11)"
        data-testid="step-out"
        onClick={() => stepOn(editor, "out")}
      >
        Out
      </button>
      {(["loss", "backward", "update"] as const).map((kind) => (
        <Jump key={kind} kind={kind} events={events} />
      ))}
      <button
        type="button"
        className="button small icon"
        aria-label="End stepping"
        title="End stepping (Esc)"
        data-testid="step-end"
        onClick={() => endSteps(editor)}
      >
        <Icon name="cross" size={12} />
      </button>
      <strong className="step-phase">{now && PHASES[now.kind]}</strong>{" "}
      <span className="step-count muted" style={{ minWidth: `${2 * String(events.length).length + 4}ch` }}>
        {at + 1} of {events.length}
      </span>
      <code className="cut" data-testid="step-path">
        {now?.kind === "update" ? now.name : now?.path}
      </code>
    </div>
  );
}

function Jump({ kind, events }: { kind: "loss" | "backward" | "update"; events: readonly StepEvent[] }) {
  const { editor } = useBench();
  const first = events.findIndex((e) => e.kind === kind);
  if (first < 0) return null;
  return (
    <button
      type="button"
      className="button small"
      data-testid={`step-${kind}`}
      onClick={() => showEvent(editor, first)}
    >
      {PHASES[kind]}
    </button>
  );
}

/** The event that is shown, where its block is what is selected. */
export function useShownEvent(): StepEvent | null {
  const steps = useSample((s) => (s.open ? s.steps : null));
  const chosen = useEditor((s) => s.selectedNodes);
  const event = steps?.events[steps.at];
  const id = event?.path
    .split(".")
    .filter((part) => !/^\d+$/.test(part))
    .at(-1);
  return event && id && chosen.size === 1 && chosen.has(id) ? event : null;
}

/** In the inspector: the lines of source that ran, and the tensors of this event. */
export function StepPanel({ event }: { event: StepEvent }) {
  const note = useEditor((s) => s.annotations.nodes[event.path]);
  const optimizer = useSample((s) => s.steps?.optimizer ?? "");
  return (
    <>
      <section className="inspector step-panel" aria-label="This step" data-testid="step-panel">
        <header className="inspector-head">
          <h2>{PHASES[event.kind]}</h2>
          <code>{event.path}</code>
        </header>
        <p className="muted">{about(event, optimizer)}</p>
        {event.kind === "update" && <Update event={event} />}
        <SourceLines note={note} composite={false} />
      </section>
      {event.kind !== "update" && (
        <Probe
          key={`${event.kind} ${event.path}`}
          spot={{ path: event.path, port: event.port ?? "output" }}
          forward={event.kind === "forward"}
        />
      )}
    </>
  );
}

function about({ kind, loss }: StepEvent, optimizer: string): string {
  if (kind === "forward") return "This block has run; its value is shown.";
  if (kind === "loss")
    return `The loss of this sample is ${short(loss)}. From here its gradient goes back block by block.`;
  if (kind === "backward") return "The gradient has reached this value.";
  return `The first step of a new ${optimizer}, on a copy: the network does not change.`;
}

function Update({
  event: { name, before = [], after = [], grad = [], shape = [], gradient, change, weight },
}: {
  event: StepEvent;
}) {
  return (
    <>
      <p className="mono" data-testid="step-name">
        {name} {shapeText(shape)}
      </p>
      <table className="spread mono" data-testid="step-weights">
        <thead>
          <tr>
            <th scope="col">before</th>
            <th scope="col">gradient</th>
            <th scope="col">after</th>
          </tr>
        </thead>
        <tbody>
          {before.map((b, i) => (
            <tr key={i}>
              <td title={String(b)}>{short(b)}</td>
              <td title={String(grad[i])}>{short(grad[i])}</td>
              <td title={String(after[i])}>{short(after[i])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="help">
        Its first numbers. Norms: weight {short(weight)}, gradient {short(gradient)}, change {short(change)}.
      </p>
    </>
  );
}
