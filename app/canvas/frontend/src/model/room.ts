/** A block put on a wire pushes what it would cover along the data, no further than it must. */

import type { Layout } from "../protocol";
import type { Catalogue } from "./catalogue";
import { type Direction, GRID } from "./geometry";
import type { Drawing } from "./graph";
import { cardSize } from "./layout";
import { Ports } from "./ports";

/** So wide that the shape on the wire between can be read. */
const GAP = 96;

const ASIDE = 24;

interface Span {
  id: string;
  /** Along the data, then across it. */
  from: number;
  to: number;
  low: number;
  high: number;
}

/** The layout with room for a new block; others in its row (or column) make way, all else stays. */
export function withRoom(drawing: Drawing, id: string, direction: Direction, catalogue: Catalogue): Layout {
  const ports = new Ports(catalogue, drawing.graph);
  const spans = Object.keys(drawing.graph.nodes).flatMap((name) => spanOf(ports, drawing, name, direction));
  const mine = spans.find((s) => s.id === id);
  if (!mine) return drawing.layout;
  const row = spans.filter((s) => s.id !== id && s.low < mine.high && s.high > mine.low);
  const middle = (s: Span) => (s.from + s.to) / 2;
  const before = row.filter((s) => middle(s) < middle(mine)), after = row.filter((s) => middle(s) >= middle(mine));
  if (![...before, ...after].some((s) => s.from < mine.to && s.to > mine.from)) return drawing.layout;
  if (passes(drawing, row, id, spans)) return beside(drawing.layout, mine, spans, direction);
  const start = snap(Math.max(mine.from, ...before.map((s) => s.to + GAP)));
  const push = snap(Math.max(0, start + mine.to - mine.from + GAP - Math.min(...after.map((s) => s.from))));
  const layout = { ...drawing.layout };
  const shift = (name: string, by: number) => {
    const [x, y] = layout[name] ?? [0, 0];
    layout[name] = direction === "right" ? [x + by, y] : [x, y + by];
  };
  shift(id, start - mine.from);
  const still = new Set([id, ...before.map((s) => s.id)]);
  if (push > 0) for (const s of following(after, spans.filter((t) => !still.has(t.id)))) shift(s.id, push);
  return layout;
}

/** These blocks, and all that they would run into on their way. */
function following(first: readonly Span[], spans: readonly Span[]): Set<Span> {
  const found = new Set(first);
  for (const s of found) {
    for (const t of spans) if (t.from >= s.from && t.low < s.high && t.high > s.low) found.add(t);
  }
  return found;
}

/** Whether the wire that the block stands on passes by others in its row: a shortcut, not the row. */
function passes({ graph }: Drawing, row: readonly Span[], id: string, spans: readonly Span[]): boolean {
  const sources = spans.filter((s) => graph.edges.some((e) => e.source === s.id && e.target === id));
  const targets = spans.filter((s) => graph.edges.some((e) => e.source === id && e.target === s.id));
  const from = Math.max(...sources.map((s) => s.to)), to = Math.min(...targets.map((s) => s.from));
  return row.some((s) => s.from >= from && s.to <= to);
}

/** The block out of the row, to the first place across the data where it covers nothing. */
function beside(old: Layout, mine: Span, spans: readonly Span[], direction: Direction): Layout {
  let low = mine.low;
  const high = () => low + mine.high - mine.low;
  for (let turn = 0; turn < spans.length; turn++) {
    const hit = spans.find((s) => s.id !== mine.id && s.from < mine.to && s.to > mine.from && s.low < high() && s.high > low);
    if (!hit) break;
    low = snap(hit.high + ASIDE);
  }
  return { ...old, [mine.id]: direction === "right" ? [snap(mine.from), low] : [low, snap(mine.from)] };
}

const snap = (value: number) => Math.ceil(value / GRID) * GRID;

function spanOf(ports: Ports, { layout }: Drawing, id: string, direction: Direction): Span[] {
  const at = layout[id];
  if (!at) return [];
  const [x, y] = at, { width, height } = cardSize(ports, id, direction);
  if (direction === "right") return [{ id, from: x, to: x + width, low: y, high: y + height }];
  return [{ id, from: y, to: y + height, low: x, high: x + width }];
}
