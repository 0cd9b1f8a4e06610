/** Numbers and states as a student reads them. */

import type { RunState, View } from "./protocol";

export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

const PERCENT = new Set(["accuracy", "iou", "dice"]);

export function quantity(name: string, value: number | null): string {
  if (value === null) return "–";
  if (PERCENT.has(name)) return `${(100 * value).toFixed(1)} %`;
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 100000)) return value.toExponential(2);
  return size >= 100 ? value.toFixed(1) : value.toPrecision(4);
}

/** A value on an axis: no more digits than it needs. */
export function tick(name: string, value: number | null): string {
  if (value === null) return "";
  if (PERCENT.has(name)) return `${Number((100 * value).toPrecision(4))} %`;
  const size = Math.abs(value);
  return size !== 0 && (size < 0.001 || size >= 100000)
    ? Number(value.toPrecision(2)).toExponential().replace("e+", "e")
    : String(Number(value.toPrecision(4)));
}

export function title(name: string): string {
  const known: Record<string, string> = {
    lr: "Learning rate", mae: "Mean absolute error", r2: "R²",
    grad_norm: "Gradient norm", samples_per_s: "Samples per second",
  };
  return known[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

const STATES: Record<RunState, string> = {
  queued: "Starting",
  running: "Training",
  paused: "Paused",
  finished: "Finished",
  stopped: "Stopped",
  failed: "Failed",
  crashed: "Crashed",
  hung: "Not answering",
  lost: "Lost",
};
export const stateWord = (state: RunState): string => STATES[state] ?? state;

/** What a run waits for, or does before its first step. */
export function beginning(view: View): string {
  if (view.message) return view.message;
  if (view.phase) return `Getting ready: ${view.phase}.`;
  return "Starting the training process; the first curve appears in a few seconds.";
}

/** "Epoch 3 of 10 · step 72 of 240 · 12 s left" */
export function progressLine(view: View): string {
  const parts: string[] = [];
  if (view.epochs > 0) parts.push(`Epoch ${Math.min(view.epoch, view.epochs)} of ${view.epochs}`);
  if (view.steps > 0) parts.push(`step ${view.step} of ${view.steps}`);
  if (view.state === "running" && view.left_s !== null) parts.push(`${duration(view.left_s)} left`);
  else if (view.elapsed_s !== null) parts.push(duration(view.elapsed_s));
  return parts.join(" · ");
}

export const share = (view: View): number =>
  view.state === "finished" ? 1 : view.steps > 0 ? Math.min(1, view.step / view.steps) : 0;
