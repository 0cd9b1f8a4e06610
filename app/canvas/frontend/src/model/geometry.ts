/** Sizes of blocks and places of their ports, known without measuring the page. */

import type { PortSpec } from "../protocol";
import type { Placed } from "./drawing";

/** "down": data flows from top to bottom; "right": from left to right. */
export type Direction = "down" | "right";

export const WIDTH = 208;
const BASE = 78;
/** Rows for the names of inputs and of outputs, where data flows down. */
const NAMED_IN = 16,
  NAMED_OUT = 20;
const PORT_ROW = 22;
/** In a row of ports each has room for its name; a hand needs some for the dot, too. */
const PORT_LEAST = 44,
  PORT_GAP = 12;
/** Width of a letter of a port's name, for its size; and of how many letters a name is shown at most. */
const LETTER = 0.62,
  NAME_PX = 10,
  LONGEST_NAME = 24;
/** What two names in one row leave free: beside the dots, and between them. */
const NAMES_ASIDE = 34;
export const GRID = 8;

export interface Size {
  width: number;
  height: number;
}

/** The size of a block card, from its ports. */
export function sizeOf(inputs: readonly PortSpec[], outputs: readonly PortSpec[], direction: Direction): Size {
  const most = Math.max(inputs.length, outputs.length);
  if (direction === "right") {
    return { width: WIDTH, height: BASE + (most > 1 ? most * PORT_ROW : 0) };
  }
  const rows = (labelled(inputs) ? NAMED_IN : 0) + (labelled(outputs) ? NAMED_OUT : 0);
  const wide = Math.max(total(roomsOf(inputs)), total(roomsOf(outputs)));
  return { width: Math.max(WIDTH, Math.ceil(wide / GRID) * GRID), height: BASE + rows };
}

/** Centre of a port on the card's edge. */
export function portPlace(
  side: "in" | "out",
  index: number,
  ports: readonly PortSpec[],
  size: Size,
  direction: Direction,
): [number, number] {
  if (direction === "down") {
    const rooms = roomsOf(ports),
      more = (size.width - total(rooms)) / Math.max(rooms.length, 1);
    const x = total(rooms.slice(0, index)) + index * more + ((rooms[index] ?? 0) + more) / 2;
    return [x, side === "in" ? 0 : size.height];
  }
  const x = side === "in" ? 0 : size.width;
  return [x, ports.length > 1 ? BASE - 4 + PORT_ROW * (index + 0.5) : BASE / 2];
}

/** How wide the places of ports beside each other are. */
function roomsOf(ports: readonly PortSpec[]): number[] {
  return ports.map((port) => (labelled(ports) ? Math.max(PORT_LEAST, namePx(port, NAME_PX) + PORT_GAP) : PORT_LEAST));
}

const total = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);

/** What a port is called on the card. */
export const portName = (port: PortSpec): string => port.name.replace("tensors.", "");

const namePx = (port: PortSpec | undefined, size: number) =>
  port ? Math.min(portName(port).length, LONGEST_NAME) * LETTER * size : 0;

/** How wide a port's name may be, at a size of letters, beside the one that stands in its row (data flows right). */
export function nameRoom(port: PortSpec, across: PortSpec | undefined, size: number): number {
  const mine = namePx(port, size),
    theirs = namePx(across, size),
    room = WIDTH - NAMES_ASIDE;
  return Math.min(mine, Math.max(room - theirs, room / 2));
}

export function labelled(ports: readonly PortSpec[]): boolean {
  return ports.length > 1;
}

/** Read the direction off an existing layout: on which side of their sources do most blocks stand? Where that is even, by the steepness of the wires. */
export function directionOf(drawing: Placed): Direction {
  let beside = 0,
    below = 0,
    flat = 0,
    steep = 0;
  for (const edge of drawing.graph.edges) {
    const a = drawing.layout[edge.source],
      b = drawing.layout[edge.target];
    if (!a || !b) continue;
    const dx = b[0] - a[0],
      dy = b[1] - a[1];
    if (dx >= WIDTH) beside += 1;
    if (dy >= BASE) below += 1;
    if (dx >= Math.abs(dy)) flat += 1;
    else if (dy > Math.abs(dx)) steep += 1;
  }
  return below > beside || (below === beside && steep > flat) ? "down" : "right";
}
