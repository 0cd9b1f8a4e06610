/** What the page hands over and what the route answers. Mirrors app/charts and app/server/api/runs.py. */

export type RunState =
  | "queued"
  | "running"
  | "paused"
  | "finished"
  | "stopped"
  | "failed"
  | "crashed"
  | "hung"
  | "lost";

/** How a run stands: core.runs.listing.RunView as JSON. */
export interface View {
  name: string;
  state: RunState;
  attempt: number;
  epoch: number;
  epochs: number;
  step: number;
  steps: number;
  elapsed_s: number | null;
  left_s: number | null;
  message: string;
  phase: string;
  warnings: string[];
  /** What metrics of several losses are of, by the name in their keys; "" is the one without. */
  aims: Aims;
}
export type Aims = Record<string, string>;

/** One line of metrics.jsonl: parallel arrays, null where a number was not finite. */
export type Column = (number | null)[];
export interface MetricRecord {
  attempt: number;
  kind: string;
  [name: string]: unknown;
}

export interface Chunk {
  view: View;
  records: MetricRecord[];
  next: number;
  reset: boolean;
}

/** How a metric is read: core.tasks.metric_labels.MetricLabel as JSON. */
export interface MetricLabel {
  words: string;
  percent: boolean;
  logarithmic: boolean;
}
export type MetricLabels = Record<string, MetricLabel>;

/** Down, from Python: which run, with which token, and the state Python has drawn. */
export interface RunDown {
  run: string;
  token: string;
  state: RunState;
  /** What the run is judged by, "" where there is no simple rule. */
  main: string;
  metrics: MetricLabels;
}

/** One axis of the parallel axes: a value per run, in the order of the runs, and what it is called there.
 * powers: of numbers that are thought of in powers of ten, so it is logarithmic however near they lie. */
export interface Axis {
  name: string;
  values: (number | string | null)[];
  texts: string[];
  powers?: boolean;
}

/** Down, from Python: runs to lay over each other. */
export interface CompareDown {
  runs: string[];
  token: string;
  axes: Axis[];
  metrics: MetricLabels;
}

/** Down, from Python: how many runs were started here, so that what is said of the last one ends. */
export interface StartDown {
  starting: number;
  metrics: MetricLabels;
}

export type SweepState = "starting" | "running" | "stopping" | "stopped" | "finished";

/** One trial of a sweep: a row of results.json with its curve. Mirrors app/wings/sweep/service.py. */
export interface Trial {
  trial: number;
  state: string;
  value: number | null;
  /** By the name of the objective; costs of the drawing also before there is a value. */
  values?: Record<string, number | null>;
  run: string | null;
  settings: Record<string, unknown>;
  epoch: number | null;
  epochs?: number;
  as: number | null;
  reason: string;
  live: boolean;
  phase?: string;
  curve: { x: number[]; y: number[] };
}

/** What trials are compared by. Mirrors core/wings/sweep/objectives.py. */
export interface SweepObjective {
  name: string;
  words: string;
  direction: "minimize" | "maximize";
  unit: string;
  kind: "metric" | "cost";
}

export interface SweepView {
  name: string;
  state: SweepState;
  metric: string;
  maximise: boolean;
  total: number;
  trials: Trial[];
  objectives?: SweepObjective[];
  /** Trials that no other beats by every objective; none with one objective. */
  front?: number[];
}

/** Down, from Python: which sweep, the state Python has drawn, and what its keys are called. */
export interface SweepDown {
  sweep: string;
  token: string;
  state: SweepState;
  titles: Record<string, string>;
  metrics: MetricLabels;
}

/** Up, to Python: what somebody wants of a trial. `id` tells one press from another. */
export interface SweepAct {
  what: "stop" | "take" | "canvas";
  trial: number;
  id: string;
}

export type Down = RunDown | CompareDown | StartDown | SweepDown;
export const isSweep = (down: Down): down is SweepDown => "sweep" in down;
export const isStart = (down: Down): down is StartDown => "starting" in down;
export const isCompare = (down: Down): down is CompareDown => "runs" in down;

/** What the entry mounts: it lives until `destroy`, and gets new data and themes by `update`. */
export interface Mountable {
  fits(down: Down): boolean;
  update(down: Down): void;
  destroy(): void;
}

export interface ComponentArgs {
  data: Down;
  parentElement: HTMLElement | ShadowRoot;
  setTriggerValue: (name: string, value: unknown) => void;
}

const OVER: ReadonlySet<RunState> = new Set(["finished", "stopped", "failed", "crashed", "lost"]);
export const isOver = (state: RunState): boolean => OVER.has(state);
