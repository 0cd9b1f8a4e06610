/** Which labels of wires are shown, where, and how large: each can be read, and none lies on another, on a card or on a wire. */

import type { Rect } from "./minimap";
import type { Point } from "./router";
import { twoLines } from "./signature";

/** Where a label may stand. */
export interface Spot {
  /** Its middle, in the drawing's own pixels. */
  x: number;
  y: number;
  /** How wide it may be, in the drawing's own pixels. */
  room: number;
}

export interface WireLabel {
  id: string;
  /** What travels comes from here; wires of one output may run together. */
  output: string;
  /** In one line, or in two where that has no room; empty where nothing is to be said. */
  text: string;
  /** The best first. */
  spots: readonly Spot[];
  /** The wire as straight pieces: no label of another lies on it. */
  points: readonly Point[];
}

export interface ShownLabel {
  lines: readonly string[];
  /** Its middle. */
  x: number;
  y: number;
  /** Of its letters, in the drawing's own pixels. */
  size: number;
  width: number;
  height: number;
}

export const CHARACTER = 0.605;
/** Letters are this large in the drawing, and never smaller than `LEAST` on the screen. */
const SIZE = 10.5,
  LEAST = 9;
const ASIDE = 6,
  MARGINS = 0.3;
/** From one line to the next, for each pixel of the letters. */
export const LINE = 1.2;
/** Smaller drawings show what they are made of, not what travels in them. */
const TOO_FAR = 0.3;
/** How far other wires are from a label. */
const OFF = 2;
/** Sides of the cells in which neighbours are looked for. */
const CELL = 256;

/** Zoom in steps, each rounded down: so sizes change seldom, and are never too small. */
export const zoomStep = (zoom: number): number => 1.06 ** Math.floor(Math.log(zoom) / Math.log(1.06) + 1e-9);

/** What lies in a cell: a card or a label, or a piece of a wire. */
class Cells<T> {
  private readonly cells = new Map<string, T[]>();

  add(item: T, { x, y, width, height }: Rect): void {
    for (let i = Math.floor(x / CELL); i <= Math.floor((x + width) / CELL); i++) {
      for (let j = Math.floor(y / CELL); j <= Math.floor((y + height) / CELL); j++) {
        const here = this.cells.get(`${i},${j}`);
        if (here) here.push(item);
        else this.cells.set(`${i},${j}`, [item]);
      }
    }
  }

  some({ x, y, width, height }: Rect, test: (item: T) => boolean): boolean {
    for (let i = Math.floor(x / CELL); i <= Math.floor((x + width) / CELL); i++) {
      for (let j = Math.floor(y / CELL); j <= Math.floor((y + height) / CELL); j++) {
        if (this.cells.get(`${i},${j}`)?.some(test)) return true;
      }
    }
    return false;
  }
}

interface Piece {
  wire: WireLabel;
  /** Of the wires that are drawn, it is that one. */
  place: number;
  from: Point;
  to: Point;
}

/** Whether a straight piece runs through a rectangle. */
export function runsThrough({ x, y, width, height }: Rect, [x0, y0]: Point, [x1, y1]: Point): boolean {
  let enter = 0,
    leave = 1;
  for (const [from, by, low, high] of [
    [x0, x1 - x0, x, x + width],
    [y0, y1 - y0, y, y + height],
  ] as const) {
    if (!by) {
      if (from <= low || from >= high) return false;
      continue;
    }
    const [first, second] = [(low - from) / by, (high - from) / by];
    enter = Math.max(enter, Math.min(first, second));
    leave = Math.min(leave, Math.max(first, second));
  }
  return enter < leave;
}

const around = ([x0, y0]: Point, [x1, y1]: Point): Rect => ({
  x: Math.min(x0, x1),
  y: Math.min(y0, y1),
  width: Math.abs(x1 - x0),
  height: Math.abs(y1 - y0),
});

const grown = ({ x, y, width, height }: Rect): Rect => ({
  x: x - OFF,
  y: y - OFF,
  width: width + 2 * OFF,
  height: height + 2 * OFF,
});

const cover = (r: Rect, o: Rect) =>
  o.x < r.x + r.width && r.x < o.x + o.width && o.y < r.y + r.height && r.y < o.y + o.height;

/** The labels that are shown, by wire; the first come first. cards: what they must not lie on. */
export function arrangeLabels(
  labels: readonly WireLabel[],
  cards: Iterable<Rect>,
  zoom: number,
): Map<string, ShownLabel> {
  const shown = new Map<string, ShownLabel>();
  if (zoom < TOO_FAR) return shown;
  const taken = new Cells<Rect>(),
    wires = new Cells<Piece>();
  for (const card of cards) taken.add(card, card);
  labels.forEach((wire, place) => {
    wire.points.slice(1).forEach((to, i) => {
      const from = wire.points[i] as Point;
      wires.add({ wire, place, from, to }, around(from, to));
    });
  });
  labels.forEach((label, place) => {
    const best = label.text ? placed(label, place, LEAST / zoom, taken, wires) : undefined;
    if (!best) return;
    taken.add(best.rect, best.rect);
    shown.set(label.id, best.label);
  });
  return shown;
}

/** In one line at the first spot that is free, else in two. One of the same output that says nothing may run below it. */
function placed(label: WireLabel, mine: number, least: number, taken: Cells<Rect>, wires: Cells<Piece>) {
  const below = ({ wire, place }: Piece) => wire.output === label.output && wire.text === "" && place < mine;
  const struck = (piece: Piece, rect: Rect) =>
    piece.place !== mine && !below(piece) && runsThrough(grown(rect), piece.from, piece.to);
  for (const lines of [[label.text], twoLines(label.text)]) {
    const longest = Math.max(...lines.map((line) => line.length));
    for (const { x, y, room } of label.spots) {
      const size = Math.min(Math.max(SIZE, least), (room - ASIDE) / (longest * CHARACTER));
      if (size < least) continue;
      const width = longest * CHARACTER * size + ASIDE,
        height = size * (LINE * lines.length + MARGINS);
      const rect = { x: x - width / 2, y: y - height / 2, width, height };
      if (taken.some(rect, (other) => cover(rect, other)) || wires.some(rect, (piece) => struck(piece, rect))) continue;
      return { rect, label: { lines, x, y, size, width, height } satisfies ShownLabel };
    }
  }
  return undefined;
}
