/** Smoothed and thinned curves. */

import type { Column } from "./protocol";

/** Exponential moving average as TensorBoard's: unbiased at its start, gaps stay gaps. */
export function smooth(values: Column, weight: number): Column {
  let sum = 0;
  let mass = 0;
  return values.map((value) => {
    if (value === null) return null;
    sum = weight * sum + (1 - weight) * value;
    mass = weight * mass + (1 - weight);
    return sum / mass;
  });
}

const among = (count: number, points: number): number => count / Math.max(1, Math.floor(points / 2));

/** The mean of the stretch that each of these rows stands for; `kept` are what `extremes` gave. */
export function means(values: Column, kept: number[], points: number): Column {
  const stretch = among(values.length, points);
  const sums = new Map<number, [number, number]>();
  values.forEach((value, i) => {
    if (value === null) return;
    const [sum, count] = sums.get(Math.floor(i / stretch)) ?? [0, 0];
    sums.set(Math.floor(i / stretch), [sum + value, count + 1]);
  });
  return kept.map((i) => {
    const [sum, count] = sums.get(Math.floor(i / stretch)) ?? [0, 0];
    return count ? sum / count : null;
  });
}

/** Indices of at most about `points` rows: first, last, and the extremes of equal stretches. */
export function extremes(values: Column, points: number): number[] {
  const stretch = among(values.length, points);
  const chosen = new Set([0, values.length - 1]);
  for (let start = 0; start < values.length; start += stretch) {
    const first = Math.floor(start);
    let low = first;
    let high = first;
    for (let i = first; i < Math.min(values.length, Math.floor(start + stretch)); i++) {
      if ((values[i] ?? Infinity) < (values[low] ?? Infinity)) low = i;
      if ((values[i] ?? -Infinity) > (values[high] ?? -Infinity)) high = i;
    }
    chosen.add(low);
    chosen.add(high);
  }
  return [...chosen].filter((i) => i >= 0 && i < values.length).sort((a, b) => a - b);
}
