/** Which labels of wires are shown, and how large: each can be read, and none lies on another or on a card. */

import type { Rect } from "./minimap";
import { twoLines } from "./signature";

export interface WireLabel {
  id: string;
  /** In one line, or in two where that has no room. */
  text: string;
  /** Its middle, in the drawing's own pixels. */
  x: number;
  y: number;
  /** How wide it may be, in the drawing's own pixels. */
  room: number;
}

export interface ShownLabel {
  lines: readonly string[];
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
/** Sides of the cells in which neighbours are looked for. */
const CELL = 256;

/** Zoom in steps, each rounded down: so sizes change seldom, and are never too small. */
export const zoomStep = (zoom: number): number => 1.06 ** Math.floor(Math.log(zoom) / Math.log(1.06) + 1e-9);

class Cells {
  private readonly rects = new Map<string, Rect[]>();

  private *keys({ x, y, width, height }: Rect): Generator<string> {
    for (let i = Math.floor(x / CELL); i <= Math.floor((x + width) / CELL); i++) {
      for (let j = Math.floor(y / CELL); j <= Math.floor((y + height) / CELL); j++) yield `${i},${j}`;
    }
  }

  add(rect: Rect): void {
    for (const key of this.keys(rect)) {
      const here = this.rects.get(key);
      if (here) here.push(rect);
      else this.rects.set(key, [rect]);
    }
  }

  covers(r: Rect): boolean {
    for (const key of this.keys(r)) {
      const hit = this.rects
        .get(key)
        ?.some((o) => o.x < r.x + r.width && r.x < o.x + o.width && o.y < r.y + r.height && r.y < o.y + o.height);
      if (hit) return true;
    }
    return false;
  }
}

/** The labels that are shown, by wire; the first come first. cards: what they must not lie on. */
export function arrangeLabels(
  labels: Iterable<WireLabel>,
  cards: Iterable<Rect>,
  zoom: number,
): Map<string, ShownLabel> {
  const shown = new Map<string, ShownLabel>();
  if (zoom < TOO_FAR) return shown;
  const taken = new Cells(),
    least = LEAST / zoom;
  for (const card of cards) taken.add(card);
  for (const label of labels) {
    for (const lines of [[label.text], twoLines(label.text)]) {
      const longest = Math.max(...lines.map((line) => line.length));
      const size = Math.min(Math.max(SIZE, least), (label.room - ASIDE) / (longest * CHARACTER));
      if (size < least) continue;
      const width = longest * CHARACTER * size + ASIDE,
        height = size * (LINE * lines.length + MARGINS);
      const rect = { x: label.x - width / 2, y: label.y - height / 2, width, height };
      if (taken.covers(rect)) continue;
      taken.add(rect);
      shown.set(label.id, { lines, size, width, height });
      break;
    }
  }
  return shown;
}
