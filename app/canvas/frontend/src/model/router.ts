/**
 * A router of wires: of all courses in straight pieces along free lanes the one that is short, has few
 * corners, crosses few wires and lies on none. Lanes run beside the cards, at a few distances.
 *
 * Points are [along the data, across it], whichever way the data flow.
 */

import { type Ends, LaneGrid, type Piece } from "./laneGrid";
import { around, type Box, Cells, overlap } from "./cells";

export type Point = readonly [number, number];

/** How far the first lane is from a card, and lanes are from each other. */
export const FIRST = 16,
  NEXT = 14;
/** Lanes beside one card, along and across. */
const LANES_ALONG = 5,
  LANES_ACROSS = 8;
/** How far outside the cards between its ends a wire may run. */
const OUTSIDE = FIRST + LANES_ACROSS * NEXT;
/** Lines nearer to each other than this are one. */
const SAME = 6;

export interface Wire {
  id: string;
  output: string;
  a: Point;
  b: Point;
}

export class Router {
  private readonly pieces = new Cells<Piece>();
  private readonly cards = new Cells<Box>();
  private readonly courses = new Map<string, Piece[]>();

  constructor(cards: readonly Box[]) {
    for (const card of cards) this.cards.add(card, card);
  }

  /** Let a course stand where others see it. `main`: others of its output keep off it, too. */
  place(wire: Wire, points: readonly Point[], main: boolean): void {
    const pieces = points.slice(1).map((to, i): Piece => {
      const from = points[i] as Point;
      return { output: wire.output, main, from, to };
    });
    this.courses.set(wire.id, pieces);
    for (const piece of pieces) this.pieces.add(piece, around(piece.from, piece.to));
  }

  remove(id: string): void {
    for (const piece of this.courses.get(id) ?? []) this.pieces.remove(piece, around(piece.from, piece.to));
    this.courses.delete(id);
  }

  /** How many pieces of other outputs a course crosses. */
  crossings(wire: Wire, points: readonly Point[]): number {
    let count = 0;
    points.slice(1).forEach((to, i) => {
      const from = points[i] as Point;
      for (const piece of this.pieces.near(around(from, to))) {
        if (piece.output !== wire.output && cross(from, to, piece.from, piece.to)) count++;
      }
    });
    return count;
  }

  /** The best course as others stand now; null where there is no way. */
  route(wire: Wire, main: boolean): Point[] | null {
    const start: Point = [wire.a[0] + FIRST, wire.a[1]],
      goal: Point = [wire.b[0] - FIRST, wire.b[1]];
    const window = this.window(wire);
    const cards = this.cardsIn(window),
      pieces = [...this.pieces.near(window)];
    const grid = new LaneGrid(
      lines(cards, window, 0, [start[0], goal[0]], pieces, wire.output),
      lines(cards, window, 1, [start[1], goal[1]], pieces, wire.output),
    );
    grid.block(cards);
    for (const piece of pieces) grid.weigh(piece, wire.output, main);
    const inner = grid.cheapest({ start, goal } satisfies Ends);
    return inner && straightened([wire.a, ...inner, wire.b]);
  }

  cardsIn(box: Box): Box[] {
    return [...this.cards.near(box)].filter((card) => overlap(card, box));
  }

  /** Around the ends, the cards between them, and room beside those. */
  private window({ a, b }: Wire): Box {
    const ends = {
      low: [Math.min(a[0], b[0] - FIRST) - 1, Math.min(a[1], b[1]) - 1] as const,
      high: [Math.max(a[0] + FIRST, b[0]) + 1, Math.max(a[1], b[1]) + 1] as const,
    };
    const between = [ends, ...this.cardsIn(ends)];
    const out = (axis: 0 | 1) => (axis ? OUTSIDE : FIRST + LANES_ALONG * NEXT);
    const low = ([0, 1] as const).map((axis) => Math.min(...between.map((box) => box.low[axis])) - out(axis));
    const high = ([0, 1] as const).map((axis) => Math.max(...between.map((box) => box.high[axis])) + out(axis));
    return { low: low as [number, number], high: high as [number, number] };
  }
}

/** The lanes of one axis, in order: those that must be, then those next to cards, the nearest first. */
function lines(
  cards: readonly Box[],
  window: Box,
  axis: 0 | 1,
  must: readonly number[],
  pieces: readonly Piece[],
  output: string,
): number[] {
  const kept = new Set(must);
  const cells = new Map<number, number[]>();
  const near = (at: number) => {
    const cell = Math.floor(at / SAME);
    return [cell - 1, cell, cell + 1].some((c) => cells.get(c)?.some((other) => Math.abs(other - at) < SAME));
  };
  const keep = (at: number) => {
    kept.add(at);
    const cell = Math.floor(at / SAME);
    cells.set(cell, [...(cells.get(cell) ?? []), at]);
  };
  for (const at of must) keep(at);
  const offer = (at: number) => {
    if (at > window.low[axis] && at < window.high[axis] && !near(at)) keep(at);
  };
  for (const { output: theirs, from, to } of pieces)
    if (theirs === output && from[axis] === to[axis]) offer(from[axis]);
  const close = (at: number) =>
    cards.some(
      ({ low, high }) => at > low[axis] - FIRST && at < high[axis] + FIRST && (at < low[axis] || at > high[axis]),
    );
  for (let lane = 0; lane < (axis ? LANES_ACROSS : LANES_ALONG); lane++) {
    for (const card of cards) {
      for (const at of [card.low[axis] - FIRST - lane * NEXT, card.high[axis] + FIRST + lane * NEXT]) {
        if (!lane || !close(at)) offer(at);
      }
    }
  }
  return [...kept].sort((p, q) => p - q);
}

/** Without the points between which nothing turns. */
function straightened(points: readonly Point[]): Point[] {
  return points.filter((p, i) => {
    const before = points[i - 1],
      after = points[i + 1];
    if (!before || !after) return true;
    const along = before[1] === p[1] && p[1] === after[1],
      across = before[0] === p[0] && p[0] === after[0];
    return !along && !across;
  });
}

/** Whether two straight pieces cross. */
export function cross(p: Point, q: Point, r: Point, s: Point): boolean {
  const side = (a: Point, b: Point, c: Point) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  return side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0;
}
