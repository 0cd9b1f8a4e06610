/** What trials are compared by: names and values for people, and which trials a pair of objectives shows. */

import type { SweepObjective, SweepView, Trial } from "./protocol";
import { quantity, title } from "./words";

/** The objectives of a sweep; of an older one, whose results name none, its metric. */
export function objectivesOf(view: SweepView): SweepObjective[] {
  if (view.objectives?.length) return view.objectives;
  const direction = view.maximise ? "maximize" : "minimize";
  return [{ name: view.metric, words: "", direction, unit: "", kind: "metric" }];
}

const plain = (name: string): string => name.replace(/^val_/, "");

export function objectiveTitle(objective: SweepObjective): string {
  if (objective.kind === "metric") return title(plain(objective.name));
  const words = objective.words || objective.name;
  return words.charAt(0).toUpperCase() + words.slice(1) + (objective.unit ? ` (${objective.unit})` : "");
}

/** The name of an axis; its arrow points to the better end. */
export function axisTitle(objective: SweepObjective): string {
  const title = objectiveTitle(objective);
  return objective.direction === "maximize" ? `${title} (more is better) →` : `← ${title} (less is better)`;
}

export function objectiveText(objective: SweepObjective, value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (objective.kind === "metric") return quantity(plain(objective.name), value);
  if (objective.unit) return `${Number(value.toPrecision(3))} ${objective.unit}`;
  return Math.round(value).toLocaleString("en");
}

/** The value of a trial by an objective; of one that trains, its metric so far. */
export function reached(view: SweepView, trial: Trial, objective: SweepObjective): number | null {
  const value = trial.values?.[objective.name] ?? (objective.name === view.metric ? trial.value : null);
  if (value !== null && value !== undefined) return value;
  return trial.live && objective.name === view.metric ? (trial.curve.y.at(-1) ?? null) : null;
}

export interface FrontPoint {
  trial: number;
  x: number;
  y: number;
  front: boolean;
}

/** The finished trials by two objectives; those of the front last, so that they lie on top, from left to right.
 *
 * Of several at one place the best lies on top. */
export function frontPoints(view: SweepView, across: SweepObjective, up: SweepObjective): FrontPoint[] {
  const front = new Set(view.front ?? []);
  const points = view.trials.flatMap((trial) => {
    const [x, y] = [trial.values?.[across.name], trial.values?.[up.name]];
    const whole = trial.value !== null && !trial.as && typeof x === "number" && typeof y === "number";
    return whole ? [{ trial: trial.trial, x, y, front: front.has(trial.trial) }] : [];
  });
  return points.reverse().sort((a, b) => Number(a.front) - Number(b.front) || a.x - b.x);
}

/** The line of a front: steps, as no trial has the values between two of them.
 *
 * Between two neighbours it turns at the worse of both values: what lies beyond is beaten. */
export function frontSteps(
  points: FrontPoint[],
  across: SweepObjective,
  up: SweepObjective,
): { x: number; y: number }[] {
  const best = points.filter((point) => point.front).sort((a, b) => a.x - b.x || a.y - b.y);
  const worse = (objective: SweepObjective, a: number, b: number): number =>
    objective.direction === "maximize" ? Math.min(a, b) : Math.max(a, b);
  return best.flatMap(({ x, y }, i) => {
    const before = best[i - 1];
    return before
      ? [
          { x: worse(across, before.x, x), y: worse(up, before.y, y) },
          { x, y },
        ]
      : [{ x, y }];
  });
}

/** Other trials at the place of a point. */
export function equals(points: FrontPoint[], point: FrontPoint): number[] {
  const same = points.filter((each) => each.x === point.x && each.y === point.y && each.trial !== point.trial);
  return same.map((each) => each.trial).sort((a, b) => a - b);
}
