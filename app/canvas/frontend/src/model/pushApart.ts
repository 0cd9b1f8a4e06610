/** A block put on a wire pushes what it would cover along the data, no further than it must. */

import type { Layout } from "../protocol";
import type { Catalogue } from "./catalogue";
import type { Drawing } from "./drawing";
import { type Direction, GRID } from "./geometry";
import { cardSize } from "./cardSize";
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
export function pushApart(drawing: Drawing, id: string, direction: Direction, catalogue: Catalogue): Layout {
  const ports = new Ports(catalogue, drawing.graph);
  const spans = Object.keys(drawing.graph.nodes).flatMap((name) => spanOf(ports, drawing, name, direction));
  const mine = spans.find((s) => s.id === id);
  if (!mine) return drawing.layout;
  const row = spans.filter((s) => s.id !== id && s.low < mine.high && s.high > mine.low);
  const middle = (s: Span) => (s.from + s.to) / 2;
  const before = row.filter((s) => middle(s) < middle(mine)),
    after = row.filter((s) => middle(s) >= middle(mine));
  if (![...before, ...after].some((s) => s.from < mine.to && s.to > mine.from)) return drawing.layout;
  if (passes(drawing, row, id, spans)) return outOfRow(drawing.layout, mine, spans, direction);
  const start = snap(Math.max(mine.from, ...before.map((s) => s.to + GAP)));
  const push = snap(Math.max(0, start + mine.to - mine.from + GAP - Math.min(...after.map((s) => s.from))));
  const layout = { ...drawing.layout };
  const shift = (name: string, by: number) => {
    const [x, y] = layout[name] ?? [0, 0];
    layout[name] = direction === "right" ? [x + by, y] : [x, y + by];
  };
  shift(id, start - mine.from);
  const still = new Set([id, ...before.map((s) => s.id)]);
  if (push > 0)
    for (const s of following(
      after,
      spans.filter((t) => !still.has(t.id)),
    ))
      shift(s.id, push);
  return layout;
}

/** Between the rows of a drawing. */
const ROW_GAP = 40;

/**
 * The layout with room for a new block on a wire: as `pushApart`; where the wire leads back to another
 * row, at the end of its row, or in a row of its own below what else feeds the block it leads to.
 */
export function placeOnWire(drawing: Drawing, id: string, direction: Direction, catalogue: Catalogue): Layout {
  const ports = new Ports(catalogue, drawing.graph);
  const spans = Object.keys(drawing.graph.nodes).flatMap((name) => spanOf(ports, drawing, name, direction));
  const { edges } = drawing.graph,
    named = (name: string) => spans.find((s) => s.id === name);
  const mine = named(id),
    source = named(edges.find((e) => e.target === id)?.source ?? "");
  const target = named(edges.find((e) => e.source === id)?.target ?? "");
  if (!mine || !source || !target || target.from >= source.to) return pushApart(drawing, id, direction, catalogue);
  const others = spans.filter((s) => s !== mine),
    length = mine.to - mine.from;
  const along = (from: number, low: number): Span => ({
    id,
    from,
    to: from + length,
    low,
    high: low + mine.high - mine.low,
  });
  const behind = along(snap(source.to + GAP), source.low);
  const siblings = others.filter(
    (s) => s.to <= target.from && beside(s, target) && edges.some((e) => e.source === s.id && e.target === target.id),
  );
  const layout = { ...drawing.layout };
  const put = (s: Span) => {
    layout[s.id] = direction === "right" ? [s.from, s.low] : [s.low, s.from];
  };
  if (!siblings.length && !others.some((s) => s.from < behind.to + ASIDE && beside(s, behind) && s.to > behind.from))
    put(behind);
  else {
    const bottom = Math.max(...others.filter((s) => beside(s, target)).map((s) => s.high));
    const row = along(siblings[0]?.from ?? snap(target.from - length - GAP), snap(bottom + ROW_GAP));
    const below = others.filter((s) => s.low >= bottom),
      push = snap(row.high + ROW_GAP - Math.min(...below.map((s) => s.low)));
    put(row);
    if (push > 0) for (const s of below) put({ ...s, low: s.low + push, high: s.high + push });
  }
  return layout;
}

/** These blocks, and all that they would run into on their way. */
function following(first: readonly Span[], spans: readonly Span[]): Set<Span> {
  const group = new Set(first);
  for (const s of group) {
    for (const t of spans) if (t.from >= s.from && t.low < s.high && t.high > s.low) group.add(t);
  }
  return group;
}

/** Whether the wire that the block stands on passes by others in its row: a shortcut, not the row. */
function passes({ graph }: Drawing, row: readonly Span[], id: string, spans: readonly Span[]): boolean {
  const sources = spans.filter((s) => graph.edges.some((e) => e.source === s.id && e.target === id));
  const targets = spans.filter((s) => graph.edges.some((e) => e.source === id && e.target === s.id));
  const from = Math.max(...sources.map((s) => s.to)),
    to = Math.min(...targets.map((s) => s.from));
  return row.some((s) => s.from >= from && s.to <= to);
}

/** The layout after a block became several; they stand around its place, and others make way. */
export function pushApartAll(
  before: Drawing,
  id: string,
  after: Drawing,
  ids: readonly string[],
  direction: Direction,
  catalogue: Catalogue,
): Layout {
  const ports = new Ports(catalogue, after.graph),
    layout = { ...after.layout };
  const [old] = spanOf(new Ports(catalogue, before.graph), before, id, direction);
  const spans = Object.keys(after.graph.nodes).flatMap((name) => spanOf(ports, after, name, direction));
  const group = spans.filter((s) => ids.includes(s.id)),
    others = spans.filter((s) => !ids.includes(s.id));
  if (!old || !group.length) return layout;
  centre(group, old);
  const box = around(group);
  const next = others.filter((s) => s.from + s.to >= old.from + old.to && beside(s, box));
  if (next.length) {
    const first = Math.min(...next.map((s) => s.from));
    const gap = Math.max(ASIDE, Math.min(GAP, first - old.to));
    const push = snap(Math.max(0, box.to + gap - first));
    for (const s of following(next, others)) shift(s, push, 0);
  }
  const covered = others.filter((s) => beside(s, box) && s.from < box.to && s.to > box.from);
  aside(
    covered.filter((s) => s.low + s.high >= box.low + box.high),
    others,
    box,
    1,
  );
  aside(
    covered.filter((s) => s.low + s.high < box.low + box.high),
    others,
    box,
    -1,
  );
  for (const s of spans) layout[s.id] = direction === "right" ? [s.from, s.low] : [s.low, s.from];
  return layout;
}

const beside = (a: Span, b: Span): boolean => a.low < b.high && a.high > b.low;

function shift(span: Span, along: number, across: number): void {
  span.from += along;
  span.to += along;
  span.low += across;
  span.high += across;
}

function around(spans: readonly Span[]): Span {
  return {
    id: "",
    from: Math.min(...spans.map((s) => s.from)),
    to: Math.max(...spans.map((s) => s.to)),
    low: Math.min(...spans.map((s) => s.low)),
    high: Math.max(...spans.map((s) => s.high)),
  };
}

/** Across the data, the blocks stand where the old one stood. */
function centre(group: readonly Span[], old: Span): void {
  const { low, high } = around(group);
  const by = snap((old.low + old.high - low - high) / 2);
  for (const s of group) shift(s, 0, by);
}

/** Blocks beside a box out of it, across the data, with all that they would run into. way: 1 or -1. */
function aside(covered: readonly Span[], spans: readonly Span[], box: Span, way: 1 | -1): void {
  if (!covered.length) return;
  const turned = new Map(spans.map((s): [Span, Span] => [turn(s, way), s]));
  const first = [...turned].filter(([, s]) => covered.includes(s)).map(([t]) => t);
  const by = snap(turn(box, way).to + ASIDE - Math.min(...first.map((t) => t.from)));
  for (const t of following(first, [...turned.keys()])) shift(turned.get(t) as Span, 0, by * way);
}

/** A span as it looks across the data: from a low to a high place, or the other way round. */
function turn({ id, from, to, low, high }: Span, way: 1 | -1): Span {
  return way > 0
    ? { id, from: low, to: high, low: from, high: to }
    : { id, from: -high, to: -low, low: from, high: to };
}

/** The block out of the row, to the first place across the data where it covers nothing. */
function outOfRow(old: Layout, mine: Span, spans: readonly Span[], direction: Direction): Layout {
  let low = mine.low;
  const high = () => low + mine.high - mine.low;
  for (let turn = 0; turn < spans.length; turn++) {
    const hit = spans.find(
      (s) => s.id !== mine.id && s.from < mine.to && s.to > mine.from && s.low < high() && s.high > low,
    );
    if (!hit) break;
    low = snap(hit.high + ASIDE);
  }
  return { ...old, [mine.id]: direction === "right" ? [snap(mine.from), low] : [low, snap(mine.from)] };
}

const snap = (value: number) => Math.ceil(value / GRID) * GRID;

function spanOf(ports: Ports, { layout }: Drawing, id: string, direction: Direction): Span[] {
  const at = layout[id];
  if (!at) return [];
  const [x, y] = at,
    { width, height } = cardSize(ports, id, direction);
  if (direction === "right") return [{ id, from: x, to: x + width, low: y, high: y + height }];
  return [{ id, from: y, to: y + height, low: x, high: x + width }];
}
