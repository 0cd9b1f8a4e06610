/** How many pairs of wires of a drawing cross. */

import type { Drawing, Edge } from "./drawing";
import type { Direction } from "./geometry";
import { overlap } from "./cells";
import type { Ports } from "./ports";
import { cross as crosses, type Point } from "./router";
import { curve } from "./curve";
import { laidOut, routed } from "./wireRouting";

export function crossingsOf(
  edges: readonly Edge[],
  layout: Drawing["layout"],
  ports: Ports,
  direction: Direction,
): number {
  const { wires, cards } = laidOut(edges, layout, ports, direction);
  const courses = routed(wires, cards);
  const drawn = wires.map(({ id, output, a, b }) => {
    const points = courses.get(id)?.points ?? curve(a, b);
    const us = points.map((p) => p[0]),
      vs = points.map((p) => p[1]);
    const low: Point = [Math.min(...us) - 1, Math.min(...vs) - 1],
      high: Point = [Math.max(...us) + 1, Math.max(...vs) + 1];
    return { output, points, low, high };
  });
  let count = 0;
  drawn.forEach((one, i) => {
    for (const other of drawn.slice(i + 1)) {
      if (one.output !== other.output && overlap(one, other) && cross(one.points, other.points)) count++;
    }
  });
  return count;
}

function cross(one: readonly Point[], other: readonly Point[]): boolean {
  return one.some((q, i) => {
    const p = one[i - 1];
    return p && other.some((s, j) => other[j - 1] && crosses(p, q, other[j - 1] as Point, s));
  });
}
