/** From block to block with the arrow keys: along the wires first, else to the nearest that way. */

import type { Placed } from "./drawing";
import type { Direction } from "./geometry";

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

const VECTORS: Record<Arrow, readonly [number, number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
const ASIDE = 2;

/** The block that an arrow key leads to from `id`; "" when there is none that way. */
export function nextBlock(drawing: Placed, id: string, arrow: Arrow, direction: Direction): string {
  const forwards = direction === "down" ? "ArrowDown" : "ArrowRight";
  const backwards = direction === "down" ? "ArrowUp" : "ArrowLeft";
  const { edges } = drawing.graph;
  if (arrow === forwards) {
    const next = edges.filter((e) => e.source === id).map((e) => e.target);
    if (next.length) return nearest(drawing, id, next);
  }
  if (arrow === backwards) {
    const before = edges.filter((e) => e.target === id).map((e) => e.source);
    if (before.length) return nearest(drawing, id, before);
  }
  const along = arrow === forwards || arrow === backwards;
  const beside = along ? [] : siblings(drawing, id);
  return thatWay(drawing, id, arrow, beside) || thatWay(drawing, id, arrow, Object.keys(drawing.graph.nodes));
}

/** Blocks that read from the same block, or feed the same one. */
function siblings({ graph }: Placed, id: string): string[] {
  const sources = new Set(graph.edges.filter((e) => e.target === id).map((e) => e.source));
  const targets = new Set(graph.edges.filter((e) => e.source === id).map((e) => e.target));
  return graph.edges.flatMap((e) => [
    ...(sources.has(e.source) ? [e.target] : []),
    ...(targets.has(e.target) ? [e.source] : []),
  ]);
}

function nearest({ layout }: Placed, id: string, ids: string[]): string {
  const [x, y] = layout[id] ?? [0, 0];
  const far = (other: string) => Math.hypot((layout[other]?.[0] ?? 0) - x, (layout[other]?.[1] ?? 0) - y);
  return ids.reduce((best, other) => (far(other) < far(best) ? other : best));
}

/** The nearest of `ids` in the direction of the arrow; being aside counts double. */
function thatWay({ layout }: Placed, id: string, arrow: Arrow, ids: string[]): string {
  const [dx, dy] = VECTORS[arrow];
  const [x, y] = layout[id] ?? [0, 0];
  let best = "",
    least = Infinity;
  for (const other of ids) {
    const at = layout[other];
    if (other === id || !at) continue;
    const ahead = (at[0] - x) * dx + (at[1] - y) * dy;
    const aside = Math.abs((at[0] - x) * dy) + Math.abs((at[1] - y) * dx);
    if (ahead <= 0 || aside > ASIDE * ahead) continue;
    if (ahead + ASIDE * aside < least) [best, least] = [other, ahead + ASIDE * aside];
  }
  return best;
}
