/** Costs of blocks as a heat map: one number a block, placed on a log scale from 0 to 1. */

import type { NodeAnnotation } from "../protocol";
import { brief, briefBytes, grouped } from "./values";

export type Measure = "params" | "multAdds" | "bytes" | "time";

export const MEASURES: Record<Measure, { title: string; about: string }> = {
  params: { title: "parameters", about: "Learnable numbers of each block" },
  multAdds: { title: "mult-adds", about: "Multiply-adds for one sample" },
  bytes: { title: "activation memory", about: "Bytes of each block's output for one sample" },
  time: { title: "measured time", about: "Milliseconds of each block in one forward pass, measured" },
};

export interface Scale {
  low: number;
  high: number;
  total: number;
}

export function cost(note: NodeAnnotation | undefined, measure: Measure): number {
  return note?.[measure] ?? 0;
}

/** From the cheapest block that costs anything to the dearest; null when none does. */
export function scaleOf(
  ids: Iterable<string>,
  notes: Readonly<Record<string, NodeAnnotation>>,
  measure: Measure,
): Scale | null {
  const costs = [...ids].map((id) => cost(notes[id], measure)).filter((c) => c > 0);
  if (!costs.length) return null;
  const total = costs.reduce((sum, c) => sum + c, 0);
  return { low: Math.min(...costs), high: Math.max(...costs), total };
}

/** Where a cost stands on the scale, from 0 to 1; null for what costs nothing. */
export function warmth(value: number, { low, high }: Scale): number | null {
  if (value <= 0) return null;
  return high === low ? 1 : Math.log(value / low) / Math.log(high / low);
}

/** The number in the middle of a log scale. */
export function middle({ low, high }: Scale): number {
  const mean = Math.sqrt(low * high);
  return mean < 10 ? mean : Math.round(mean);
}

export function written(value: number, measure: Measure): string {
  if (measure === "time") return milliseconds(value);
  return measure === "bytes" ? briefBytes(value) : brief(value);
}

/** Three figures and the unit: "1.24 ms", "38.1 µs". */
function milliseconds(value: number): string {
  const [scaled, unit] = value >= 1000 ? [value / 1000, "s"] : value >= 1 ? [value, "ms"] : [1000 * value, "µs"];
  return `${Number(scaled.toPrecision(3))}\u202f${unit}`;
}

/** As written on a block: "2.6 k params", "41 % of all". */
export function told(value: number, measure: Measure, scale: Scale): string {
  const share = Math.round((100 * value) / scale.total);
  const exact =
    measure === "time"
      ? `${milliseconds(value)} for one batch`
      : measure === "bytes"
        ? `${grouped(value)} bytes`
        : `${grouped(value)} ${MEASURES[measure].title}`;
  return `${exact}, ${share < 1 ? "under 1" : share}\u202f% of all`;
}
