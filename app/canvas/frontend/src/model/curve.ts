/** The curve of a wire that leads on, in straight pieces. */

import type { Point } from "./router";

/** An odd number: curves that cross in their middles do so within a piece. */
const PIECES = 13;

/** From end to end; points are [along the data, across]. */
export function curve(a: Point, b: Point, pieces = PIECES): Point[] {
  if (a[1] === b[1]) return [a, b];
  return Array.from({ length: pieces + 1 }, (_, i): Point => {
    const t = i / pieces;
    return [
      a[0] + (b[0] - a[0]) * (1.5 * t - 1.5 * t * t + t * t * t),
      a[1] + (b[1] - a[1]) * (3 * t * t - 2 * t * t * t),
    ];
  });
}
