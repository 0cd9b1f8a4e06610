/**
 * Long drawings in rows, as text is: cut where a single wire leads on, so that a branch and its join
 * stay in one row. Only a part that is longer than two rows is cut where the fewest wires lead on.
 */

import type { Placed } from "./drawing";
import { type Size, WIDTH } from "./geometry";
import { FIRST, NEXT } from "./router";

export interface Box extends Size {
  id: string;
  x: number;
  y: number;
}

/** What a window has for a drawing, in pixels. */
export interface Canvas {
  width: number;
  height: number;
}

const ROW_GAP = 64;
/** Where blocks are this large, all is shown that is written on them; wires back turn this far beside a drawing. */
const LARGE = 0.72,
  TURNS = 48;
/** A part that is longer than this many rows is cut. */
const LONGEST = 2;
/** How bad wires but the first are that lead from a row to those below, for a row too long by one column; and less where they share an output. */
const WIRE_COST = 6,
  ONE_OUTPUT = 0.5;
const NEVER = 1e6;

/** The layers cut into rows that are set below each other. apart: between two layers. */
export function fold(boxes: readonly Box[], drawing: Placed, apart: number, canvas: Canvas): Box[] {
  const column = columnOf(boxes),
    count = Math.max(...column.values()) + 1;
  const layers: Box[][] = [];
  for (const b of boxes) (layers[column.get(b.id) ?? 0] ??= []).push(b);
  const heights = layers.map(heightOf);
  const most = columnsFor(count, mean(heights), apart, canvas);
  const leading = leadingOn(drawing, column, count);
  const rows = count <= most ? [0] : rowsOf(leading, most);
  const rowAt = layers.map((_, c) => rows.findLastIndex((start) => start <= c));
  const row = (id: string) => rowAt[column.get(id) ?? 0] as number;
  const lanes = lanesOf(drawing, column, rows, row);
  const folded: Box[] = [];
  let top = 0;
  rows.forEach((_, r) => {
    const mine = layers.slice(rows[r], rows[r + 1]).flat();
    const left = Math.min(...mine.map((b) => b.x)),
      y = Math.min(...mine.map((b) => b.y));
    folded.push(...mine.map((b) => ({ ...b, x: b.x - left, y: b.y - y + top })));
    top += heightOf(mine) + Math.max(ROW_GAP, 2 * FIRST + NEXT * ((lanes[r] ?? 0) - 1));
  });
  return folded;
}

/** For each block the layer in which it stands, where data flow right. */
export function columnOf(boxes: readonly Box[]): Map<string, number> {
  const middle = (b: Box) => Math.round(b.x + b.width / 2);
  const columns = [...new Set(boxes.map(middle))].sort((a, b) => a - b);
  const index = new Map(columns.map((at, c) => [at, c]));
  return new Map(boxes.map((b) => [b.id, index.get(middle(b)) ?? 0]));
}

/** How many columns a row has: as many as leave the blocks large, else those that make them largest. */
function columnsFor(count: number, height: number, apart: number, canvas: Canvas): number {
  const rows = (columns: number) => Math.ceil(count / columns);
  const zoom = (columns: number) =>
    Math.min(
      canvas.width / (columns * (WIDTH + apart) - apart + TURNS),
      canvas.height / (rows(columns) * (height + ROW_GAP) - ROW_GAP),
    );
  const ways = Array.from({ length: count }, (_, i) => count - i);
  return (
    ways.find((columns) => zoom(columns) >= LARGE) ??
    ways.reduce((best, columns) => (zoom(columns) > zoom(best) ? columns : best))
  );
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const heightOf = (boxes: Box[]) => Math.max(...boxes.map((b) => b.y + b.height)) - Math.min(...boxes.map((b) => b.y));

/** What leads to a column, or on from the columns before. */
interface Leading {
  wires: number;
  outputs: ReadonlySet<string>;
}

function leadingOn(drawing: Placed, column: ReadonlyMap<string, number>, count: number): Leading[] {
  const all = Array.from({ length: count }, () => ({ wires: 0, outputs: new Set<string>() }));
  for (const e of drawing.graph.edges) {
    const from = column.get(e.source) ?? 0,
      to = column.get(e.target) ?? 0;
    for (const each of all.slice(from + 1, to + 1)) {
      each.wires++;
      each.outputs.add(`${e.source}.${e.sourcePort}`);
    }
  }
  return all;
}

/** First columns of the rows: of the wished length, where the cuts allow. */
function rowsOf(leading: readonly Leading[], most: number): number[] {
  const count = leading.length,
    cost = cuts(leading, most);
  const best = [{ cost: 0, start: 0 }];
  for (let end = 1; end <= count; end++) {
    let cheapest = { cost: Infinity, start: 0 };
    for (let start = 0; start < end; start++) {
      const off = end - start - most;
      const sum = (best[start]?.cost ?? 0) + (cost[start] as number) + (end === count && off < 0 ? 0 : off * off);
      if (sum < cheapest.cost) cheapest = { cost: sum, start };
    }
    best.push(cheapest);
  }
  const rows: number[] = [];
  for (let end = count; end > 0; end = rows[0] as number) rows.unshift(best[end]?.start ?? 0);
  return rows;
}

/** What it costs to begin a row with a column: nothing where one wire leads on, too much within a part that fits two rows. */
function cuts(leading: readonly Leading[], most: number): number[] {
  const costs = leading.map(({ wires, outputs }) =>
    wires ? WIRE_COST * (wires - 1) ** 2 * (outputs.size > 1 ? 1 : ONE_OUTPUT) : 0,
  );
  for (let start = 0; start < leading.length; ) {
    let end = start + 1;
    while (end < leading.length && (leading[end]?.wires ?? 0) > 1) end++;
    if (end - start <= LONGEST * most) costs.fill(NEVER, start + 1, end);
    start = end;
  }
  return costs;
}

/** For each row, how many wires need a lane between it and the next: those that skip columns, and those that lead on. */
function lanesOf(
  drawing: Placed,
  column: ReadonlyMap<string, number>,
  rows: readonly number[],
  row: (id: string) => number,
): number[] {
  const beside = Array<number>(column.size).fill(0),
    on = Array<number>(rows.length).fill(0);
  for (const e of drawing.graph.edges) {
    const from = column.get(e.source) ?? 0,
      to = column.get(e.target) ?? 0;
    const [first, last] = [row(e.source), row(e.target)];
    for (let r = first; r < last; r++) on[r] = (on[r] as number) + 1;
    if (first === last) for (let c = from + 1; c < to; c++) beside[c] = (beside[c] as number) + 1;
  }
  const most = rows.map((start, r) => Math.max(...beside.slice(start, rows[r + 1]), 0));
  return rows.map((_, r) => (on[r] as number) + Math.ceil((most[r] as number) / 2) + Math.ceil((most[r + 1] ?? 0) / 2));
}
