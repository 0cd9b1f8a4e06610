/** Numbers and states as a student reads them. */

import type { Aims, MetricLabels, RunState, View } from "./protocol";

export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

const KNOWN: Record<string, string> = {
  lr: "Learning rate",
  grad_norm: "Gradient norm",
  samples_per_s: "Samples per second",
};
let metrics: MetricLabels = {};
const own = <T>(table: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined; // a series may be called "constructor"

/** What Python declares of the metrics; it comes with the data of each view. One that brings none takes none away. */
export function labelMetrics(labels: MetricLabels): void {
  metrics = { ...metrics, ...labels };
}

/** A name's metric, and what it is of where there are several: "kl_loss" is the loss of kl. */
function parted(name: string): [string, string] {
  const at = name.lastIndexOf("_");
  return at > 0 && Object.hasOwn(metrics, name.slice(at + 1)) ? [name.slice(at + 1), name.slice(0, at)] : [name, ""];
}
const isPercent = (name: string): boolean => !!own(metrics, parted(name)[0])?.percent;
/** Whether a logarithmic axis may say more. */
export const isLogarithmic = (name: string): boolean =>
  name === "lr" || name === "grad_norm" || !!own(metrics, parted(name)[0])?.logarithmic;
const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

export function quantity(name: string, value: number | null): string {
  if (value === null) return "–";
  if (isPercent(name)) return `${(100 * value).toFixed(1)}%`;
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 100000)) return value.toExponential(2);
  if (size === 0) return "0";
  if (size >= 1000) return many(Math.round(value));
  return size >= 100 ? value.toFixed(1) : value.toPrecision(4);
}

/** A value on an axis: no more digits than it needs. */
export function tick(name: string, value: number | null): string {
  if (value === null) return "";
  if (isPercent(name)) return `${Number((100 * value).toPrecision(4))}%`;
  const size = Math.abs(value);
  return size !== 0 && (size < 0.001 || size >= 100000)
    ? Number(value.toPrecision(3)).toExponential().replace("e+", "e")
    : many(Number(value.toPrecision(4)));
}

export function title(name: string, aims: Aims = {}): string {
  const [metric, key] = parted(name);
  const label = own(metrics, metric);
  const known = own(KNOWN, name) ?? (label && capitalised(label.words));
  const of = own(KNOWN, name) || name === "loss" ? "" : (own(aims, key) ?? key); // "loss" is the sum of all
  if (known) return of ? `${known} of ${of}` : known;
  return capitalised(name).replaceAll("_", " ");
}

/** What metrics of several runs are of; the one without a name only where all runs agree. */
export function agreed(runs: Aims[]): Aims {
  const whole: Aims = Object.assign({}, ...runs);
  if (runs.some((aims) => aims[""] !== whole[""])) delete whole[""];
  return whole;
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

/** What a run waits for, or does before its first step; "" while it trains and after. */
export function beginning(view: View): string {
  if (view.state === "paused")
    return "Paused: Resume continues from here. After ten minutes the memory and the device are freed; Resume still works.";
  if (view.state !== "queued") return "";
  if (view.message) return view.message;
  if (view.phase) return `Preparing: ${view.phase}.`;
  return "Starting the training process; the first curve appears in a few seconds.";
}

/** With commas between thousands, and every digit that is there. */
const many = (count: number): string => count.toLocaleString("en", { maximumFractionDigits: 20 });

/** What a line shows, for whoever stays on its name. */
export const ABOUT: Record<string, string> = {
  step: "The loss of each batch, before its step changes the weights.",
  smooth: "A running mean of the loss of each batch.",
  train:
    "The mean over the batches of an epoch, each before its step, with dropout, augmentation and weights that still change. So it can be worse than the validation loss.",
  val: "After each epoch, on the validation samples; with averaged weights if the run uses them.",
};

/** "epoch 4.3": where the cursor is. */
export const place = (unit: string, x: number): string =>
  `${unit} ${Number(x.toPrecision(x >= 1000 ? 9 : 4)).toLocaleString("en")}`;

/** "Epoch 3 of 10 · step 72 of 240 · 12 s left" */
export function progressLine(view: View): string {
  const parts: string[] = [];
  if (view.epochs > 0) parts.push(`Epoch ${many(Math.min(view.epoch, view.epochs))} of ${many(view.epochs)}`);
  if (view.steps > 0 && view.state !== "finished") parts.push(`step ${many(view.step)} of ${many(view.steps)}`);
  if (view.state === "running" && view.left_s !== null) parts.push(`${duration(view.left_s)} left`);
  else if (view.elapsed_s !== null) parts.push(duration(view.elapsed_s));
  return parts.join(" · ");
}

export const share = (view: View): number =>
  view.state === "finished" ? 1 : view.steps > 0 ? Math.min(1, view.step / view.steps) : 0;
