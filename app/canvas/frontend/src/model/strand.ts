/** The two threads of a wire: what goes forward on its left, what comes back on its right. */

import type { Point } from "./router";

/** From the middle of the wire to that of a thread: at their widest the two just touch. */
const ASIDE = 1.9;
/** Widths in pixels of the drawing: of a thread without strength, and what full strength adds. */
const THIN = 0.8,
  MORE = 2.8;

export const widthOf = (strength: number): number => THIN + MORE * strength;

/** How much of the page a thread covers: also the weakest is seen. */
export const coverOf = (strength: number): number => 0.3 + 0.7 * strength;

/** A line beside another, to the left of its direction by so many pixels, or to the right where that is below 0. */
export function beside(line: readonly Point[], by: number): Point[] {
  return line.map((p, i) => {
    const [nx, ny] = normal(line, i);
    return [p[0] + nx * by, p[1] + ny * by];
  });
}

/** To the left of a line at one of its points: across the pieces before and after it. */
function normal(line: readonly Point[], i: number): Point {
  const before = line[i - 1] ?? (line[i] as Point),
    after = line[i + 1] ?? (line[i] as Point);
  const dx = after[0] - before[0],
    dy = after[1] - before[1],
    far = Math.hypot(dx, dy) || 1;
  return [dy / far, -dx / far];
}

/** Both threads of a wire; where nothing comes back, the one stands in its middle. */
export function threads(line: readonly Point[], both: boolean): { forward: Point[]; backward: Point[] } {
  return { forward: beside(line, both ? ASIDE : 0), backward: beside(line, both ? -ASIDE : 0) };
}

export const asPath = (line: readonly Point[]): string =>
  line.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");

/** A line with how far along it each point is. */
export interface Track {
  points: readonly Point[];
  along: readonly number[];
  length: number;
}

export function trackOf(points: readonly Point[]): Track {
  let length = 0;
  const along = points.map((p, i) => {
    const before = points[i - 1];
    if (before) length += Math.hypot(p[0] - before[0], p[1] - before[1]);
    return length;
  });
  return { points, along, length };
}

/** The place so far along a track. */
export function placeAt({ points, along, length }: Track, far: number): Point {
  const at = Math.min(length, Math.max(0, far));
  const i = Math.max(
    1,
    along.findIndex((each) => each >= at),
  );
  const p = points[i - 1] as Point,
    q = points[i] ?? p;
  const piece = (along[i] ?? 0) - (along[i - 1] ?? 0),
    t = piece ? (at - (along[i - 1] ?? 0)) / piece : 0;
  return [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t];
}

/** The part of a track between two places on it. */
export function partOf(track: Track, from: number, to: number): Point[] {
  const between = track.points.filter((_, i) => (track.along[i] ?? 0) > from && (track.along[i] ?? 0) < to);
  return [placeAt(track, from), ...between, placeAt(track, to)];
}
