/** Boxes in line with each other, or evenly apart. Pure geometry on the canvas's grid. */

import { GRID, type Size } from "./geometry";

export interface Box extends Size {
  id: string;
  x: number;
  y: number;
}

export type Side = "left" | "centre" | "right" | "top" | "middle" | "bottom";
export type Axis = "across" | "down";
type Places = Record<string, [number, number]>;

const snap = (value: number) => Math.round(value / GRID) * GRID;

/** Places with all boxes on one line: the outermost edge on that side, or the middle of them all. */
export function align(boxes: readonly Box[], side: Side): Places {
  const left = Math.min(...boxes.map((b) => b.x)),
    right = Math.max(...boxes.map((b) => b.x + b.width));
  const top = Math.min(...boxes.map((b) => b.y)),
    bottom = Math.max(...boxes.map((b) => b.y + b.height));
  const place: Record<Side, (b: Box) => [number, number]> = {
    left: (b) => [left, b.y],
    centre: (b) => [snap((left + right - b.width) / 2), b.y],
    right: (b) => [right - b.width, b.y],
    top: (b) => [b.x, top],
    middle: (b) => [b.x, snap((top + bottom - b.height) / 2)],
    bottom: (b) => [b.x, bottom - b.height],
  };
  return Object.fromEntries(boxes.map((b) => [b.id, place[side](b)]));
}

/** Places with equal gaps between the boxes; the first and the last stay where they are. */
export function distribute(boxes: readonly Box[], axis: Axis): Places {
  const at = (b: Box) => (axis === "across" ? b.x : b.y),
    long = (b: Box) => (axis === "across" ? b.width : b.height);
  const sorted = boxes.toSorted((a, b) => at(a) + long(a) / 2 - at(b) - long(b) / 2);
  const first = sorted[0],
    last = sorted.at(-1);
  if (!first || !last || sorted.length < 3) return {};
  const room = at(last) + long(last) - at(first) - sorted.reduce((sum, b) => sum + long(b), 0);
  const gap = room / (sorted.length - 1);
  let next = at(first);
  return Object.fromEntries(
    sorted.map((b) => {
      const place = b === first || b === last ? at(b) : Math.round(next);
      next += long(b) + gap;
      return [b.id, axis === "across" ? [place, b.y] : [b.x, place]];
    }),
  );
}
