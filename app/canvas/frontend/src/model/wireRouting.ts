/**
 * Wires that skip blocks run beside them, not through them, and those back to a row below run between
 * the rows: for each such wire a lane, a straight piece along the data that touches no block and keeps
 * its distance from other wires' lanes.
 */

import type { Drawing, Edge } from "./drawing";
import { type Direction, portPlace } from "./geometry";
import { edgeId } from "./graph";
import { cardSize } from "./layout";
import type { Ports } from "./ports";

/** A straight piece: `at` across the data, from `from` to `to` along it. `a` and `b`: the wire's ends. */
export interface Track {
  at: number;
  from: number;
  to: number;
  a: Spot;
  b: Spot;
  /** Of a wire back: how far it goes on before it turns. */
  turn?: number;
  /** It runs with another of the same output, which says what travels there. */
  silent?: boolean;
}

/** A place by how far along the data it is, and how far across. */
interface Spot {
  along: number;
  across: number;
}

interface Bar {
  id: string;
  start: number;
  end: number;
  low: number;
  high: number;
}

const SHORTEST = 240;
const CLEAR = 6;
const AWAY = 20;
const NEXT = 11;
const TURNS = 40;
/** Where a wire back may run above the block it leads to, the best place first. */
const ABOVE = [32, 21, 43, 10, 54];
export const TURN = 24;
const TURNS_AT = [TURN, 33, 42, 51];
/** Places on the curve that are looked at. */
const STEPS = Array.from({ length: 23 }, (_, i) => (i + 1) / 24);

type Lanes = ReadonlyMap<string, Track>;
const known = new WeakMap<object, { layout: unknown; direction: Direction; lanes: Lanes }>();

/** The lanes of a drawing by wire; the same while wires and places are. */
export function tracksOf({ graph, layout }: Drawing, ports: Ports, direction: Direction): Lanes {
  const before = known.get(graph.edges);
  if (before?.layout === layout && before.direction === direction) return before.lanes;
  const lanes = made(graph.edges, layout, ports, direction);
  known.set(graph.edges, { layout, direction, lanes });
  return lanes;
}

interface Long {
  edge: Edge;
  a: Spot;
  b: Spot;
}

function made(edges: readonly Edge[], layout: Drawing["layout"], ports: Ports, direction: Direction): Lanes {
  const bars = Object.keys(ports.graph.nodes)
    .flatMap((id) => bar(id, layout, ports, direction))
    .sort((p, q) => p.start - q.start);
  const all = edges.flatMap((edge): Long[] => {
    const a = end(edge.source, edge.sourcePort, "out", layout, ports, direction);
    const b = end(edge.target, edge.targetPort, "in", layout, ports, direction);
    return a && b ? [{ edge, a, b }] : [];
  });
  const lanes =
    direction === "right"
      ? lanesBack(
          all.filter(({ a, b }) => b.along <= a.along && b.across > a.across),
          bars,
        )
      : new Map<string, Track>();
  const long = all.filter(({ a, b }) => b.along - a.along > SHORTEST);
  long.sort((p, q) => p.b.along - p.a.along - (q.b.along - q.a.along));
  for (const { edge, a, b } of long) {
    const lane = find(
      bars.filter((bar) => bar.id !== edge.source && bar.id !== edge.target),
      a,
      b,
      [...lanes.values()],
    );
    if (lane) lanes.set(edgeId(edge), lane);
  }
  return lanes;
}

/** Wires that lead back run above the block they lead to; those of one output run together. */
function lanesBack(back: readonly Long[], bars: readonly Bar[]): Map<string, Track> {
  const lanes = new Map<string, Track>();
  for (const { edge, a, b } of back) {
    const same = (lane: Track) => lane.a.along === a.along && lane.a.across === a.across;
    const all = [...lanes.values()],
      others = all.filter((lane) => !same(lane));
    const at = above(bars, others, a, b, bars.find((bar) => bar.id === edge.target)?.low ?? b.across);
    const turn = turnOf(others, a, b, at);
    const silent = all.some((lane) => same(lane) && lane.at === at);
    lanes.set(edgeId(edge), { at, from: b.along - turn, to: a.along + turn, a, b, turn, ...(silent && { silent }) });
  }
  return lanes;
}

/** Where between the rows a wire back runs: above `top`, away from blocks and other wires. */
function above(bars: readonly Bar[], others: readonly Track[], a: Spot, b: Spot, top: number): number {
  const from = b.along - TURN,
    to = a.along + TURN;
  const free = (at: number) =>
    !bars.some((bar) => bar.end > from && bar.start < to && at > bar.low - CLEAR && at < bar.high + CLEAR) &&
    !others.some((lane) => Math.abs(lane.at - at) < NEXT && lane.from < to && lane.to > from);
  const higher = Array.from({ length: Math.max(0, Math.floor((top - a.across) / NEXT)) }, (_, i) => (i + 1) * NEXT);
  return [...ABOVE, ...higher].map((up) => top - up).find(free) ?? top - (ABOVE[0] as number);
}

/** How far a wire back goes on before it turns, so that it lies on no other there. */
function turnOf(others: readonly Track[], a: Spot, b: Spot, at: number): number {
  const taken = others
    .filter(
      (lane) =>
        (lane.a.along === a.along && lane.a.across < at && lane.at > a.across) ||
        (lane.b.along === b.along && lane.at < b.across && lane.b.across > at),
    )
    .map((lane) => lane.turn);
  return TURNS_AT.find((turn) => !taken.includes(turn)) ?? (TURNS_AT[0] as number);
}

function bar(id: string, layout: Drawing["layout"], ports: Ports, direction: Direction): Bar[] {
  const at = layout[id];
  if (!at) return [];
  const { width, height } = cardSize(ports, id, direction);
  const [x, y] = at;
  return [
    direction === "right"
      ? { id, start: x, end: x + width, low: y, high: y + height }
      : { id, start: y, end: y + height, low: x, high: x + width },
  ];
}

function end(
  id: string,
  port: string,
  side: "in" | "out",
  layout: Drawing["layout"],
  ports: Ports,
  direction: Direction,
): Spot | null {
  const at = layout[id];
  if (!at || !Object.hasOwn(ports.graph.nodes, id)) return null;
  const mine = side === "in" ? ports.drawn(id) : ports.given(id);
  const place = mine.findIndex((p) => p.name === port);
  const [x, y] = portPlace(side, Math.max(place, 0), mine, cardSize(ports, id, direction), direction);
  return direction === "right" ? { along: at[0] + x, across: at[1] + y } : { along: at[1] + y, across: at[0] + x };
}

/** Whether the curve that a wire would be goes through a bar. */
function through(bar: Bar, a: Spot, b: Spot): boolean {
  return STEPS.some((t) => {
    const along = a.along + (b.along - a.along) * (1.5 * t - 1.5 * t * t + t * t * t);
    const across = a.across + (b.across - a.across) * (3 * t * t - 2 * t * t * t);
    return (
      along > bar.start - CLEAR && along < bar.end + CLEAR && across > bar.low - CLEAR && across < bar.high + CLEAR
    );
  });
}

function find(bars: Bar[], a: Spot, b: Spot, taken: readonly Track[]): Track | null {
  const between = bars.filter((bar) => bar.end > a.along + CLEAR && bar.start < b.along - CLEAR);
  const hit = between.filter((bar) => through(bar, a, b));
  if (!hit.length) return null;
  const ways = ([-1, 1] as const).map((sign) => beside(between, hit, a, b, taken, sign));
  const far = (lane: Track) => Math.abs(lane.at - a.across) + Math.abs(lane.at - b.across);
  return ways.reduce((best, lane) => (far(lane) < far(best) ? lane : best));
}

/** The nearest free lane on one side of the bars that are hit. */
function beside(between: Bar[], hit: Bar[], a: Spot, b: Spot, taken: readonly Track[], sign: -1 | 1): Track {
  const edge = (bar: Bar) => (sign < 0 ? bar.low - AWAY : bar.high + AWAY);
  const outer = (values: number[]) => (sign < 0 ? Math.min(...values) : Math.max(...values));
  let at = outer(hit.map(edge)),
    mine = hit;
  let lane = span(mine, a, b, at);
  for (let turn = 0; turn < TURNS; turn++) {
    const more = between.filter(
      (bar) => lane.at > bar.low - CLEAR && lane.at < bar.high + CLEAR && bar.end > lane.from && bar.start < lane.to,
    );
    const beside = taken.some(
      (other) => Math.abs(other.at - lane.at) < NEXT && other.from < lane.to && other.to > lane.from,
    );
    const way = (bar: Bar) =>
      through(bar, a, { along: lane.from, across: at }) || through(bar, { along: lane.to, across: at }, b);
    const cut = more.length || beside ? [] : between.filter((bar) => !mine.includes(bar) && way(bar)); // last, as it takes longest
    if (!more.length && !cut.length && !beside) break;
    at += beside ? sign * NEXT : 0;
    at = outer([at, ...more.map(edge), ...cut.map(edge)]);
    mine = [...mine, ...more, ...cut];
    lane = span(mine, a, b, at);
  }
  return lane;
}

function span(bars: Bar[], a: Spot, b: Spot, at: number): Track {
  const from = Math.max(a.along + AWAY, Math.min(...bars.map((bar) => bar.start)) - CLEAR);
  const to = Math.min(b.along - AWAY, Math.max(...bars.map((bar) => bar.end)) + CLEAR);
  return { at, from, to: Math.max(from, to), a, b };
}
