/** The drawing in small: one path for all blocks of a kind. */

import type { Layout } from "../protocol";
import type { Drawing } from "./drawing";
import { type Direction, type Size, WIDTH } from "./geometry";
import { cardSize } from "./cardSize";
import { notePlace, noteSize } from "./notes";
import type { Ports } from "./ports";

export interface Rect extends Size {
  x: number;
  y: number;
}

/** What blocks in the same colour have in common: their family, or why they are not well. */
export type Kind = { family: string } | { state: string };

export interface DrawnMap {
  paths: { kind: Kind; d: string }[];
  /** What it covers; null for an empty drawing. */
  bounds: Rect | null;
}

const MARGIN = 0.04;

/** The map of a drawing: one path for all blocks of a kind. */
export function mapOf(drawing: Drawing, ports: Ports, direction: Direction, kindOf: (id: string) => Kind): DrawnMap {
  const kinds = new Map<string, { kind: Kind; d: string }>();
  let bounds: Rect | null = null;
  const add = (kind: Kind, [x, y]: readonly [number, number], { width, height }: Size) => {
    bounds = union(bounds, { x, y, width, height });
    const key = JSON.stringify(kind);
    kinds.set(key, { kind, d: `${kinds.get(key)?.d ?? ""}M${x} ${y}h${width}v${height}h${-width}z` });
  };
  for (const note of drawing.notes) add({ state: "note" }, notePlace(note, drawing.layout), noteSize(note));
  for (const id of Object.keys(drawing.graph.nodes)) {
    add(kindOf(id), drawing.layout[id] ?? [0, 0], cardSize(ports, id, direction));
  }
  return { paths: [...kinds.values()], bounds };
}

/** The blocks that are not well and why, as one text: most reports leave it, and so what is drawn from it, as it was. */
export function marksOf(notes: Readonly<Record<string, { state?: string }>>, path: string): string {
  const here = Object.entries(notes).filter(([id, note]) => note.state && note.state !== "ok" && id.startsWith(path));
  return JSON.stringify(here.map(([id, note]) => [id.slice(path.length), note.state]));
}

export function union(one: Rect | null, other: Rect): Rect {
  if (!one) return other;
  const x = Math.min(one.x, other.x),
    y = Math.min(one.y, other.y);
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
}

/** The smallest box of a shape (width to height) around another, with a margin. */
export function viewBox({ x, y, width, height }: Rect, shape: number): Rect {
  const wide = Math.max(width, height * shape) * (1 + 2 * MARGIN),
    high = wide / shape;
  return { x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high };
}

/** Whether a box lies in another. */
export function covers(outer: Rect, { x, y, width, height }: Rect): boolean {
  return outer.x <= x && outer.y <= y && outer.x + outer.width >= x + width && outer.y + outer.height >= y + height;
}

const LEAST = 0.03,
  MOST = 0.25,
  SEEN_PX = 160;

/** How far one may zoom out: a drawing never becomes a dot that nobody finds. */
export function leastZoom(layout: Readonly<Layout>): number {
  const places = Object.values(layout);
  const span = (axis: 0 | 1) =>
    Math.max(...places.map((p) => p[axis])) - Math.min(...places.map((p) => p[axis])) + WIDTH;
  return places.length ? Math.max(LEAST, Math.min(MOST, SEEN_PX / Math.max(span(0), span(1)))) : MOST;
}
