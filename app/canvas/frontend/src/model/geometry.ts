/** Sizes of blocks and places of their ports, known without measuring the page. */

import type { PortSpec } from "../protocol";
import type { Placed } from "./graph";

/** "down": data flows from top to bottom; "right": from left to right. */
export type Direction = "down" | "right";

export const WIDTH = 208;
const BASE = 78;
const NAMED_ROW = 16;
const PORT_STEP = 62;
const PORT_ROW = 22;
export const GRID = 8;

export interface Size {
  width: number;
  height: number;
}

/** The size of a block card, from its ports. */
export function sizeOf(inputs: number, outputs: number, direction: Direction): Size {
  const most = Math.max(inputs, outputs);
  if (direction === "right") {
    return { width: WIDTH, height: BASE + (most > 1 ? most * PORT_ROW : 0) };
  }
  const rows = (inputs > 1 ? NAMED_ROW : 0) + (outputs > 1 ? NAMED_ROW : 0);
  return { width: Math.max(WIDTH, most * PORT_STEP), height: BASE + rows };
}

/** Centre of a port on the card's edge. */
export function portPlace(
  side: "in" | "out", index: number, count: number, size: Size, direction: Direction,
): [number, number] {
  if (direction === "down") {
    return [(size.width * (index + 0.5)) / count, side === "in" ? 0 : size.height];
  }
  const x = side === "in" ? 0 : size.width;
  return [x, count > 1 ? BASE - 4 + PORT_ROW * (index + 0.5) : BASE / 2];
}

export function labelled(ports: readonly PortSpec[]): boolean {
  return ports.length > 1;
}

/** Read the direction off an existing layout: on which side of their sources do most blocks stand? Where that is even, by the steepness of the wires. */
export function directionOf(drawing: Placed): Direction {
  let beside = 0, below = 0, flat = 0, steep = 0;
  for (const edge of drawing.graph.edges) {
    const a = drawing.layout[edge.source], b = drawing.layout[edge.target];
    if (!a || !b) continue;
    const dx = b[0] - a[0], dy = b[1] - a[1];
    if (dx >= WIDTH) beside += 1;
    if (dy >= BASE) below += 1;
    if (dx >= Math.abs(dy)) flat += 1;
    else if (dy > Math.abs(dx)) steep += 1;
  }
  return below > beside || (below === beside && steep > flat) ? "down" : "right";
}
