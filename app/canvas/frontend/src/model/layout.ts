/** Tidy placement of all blocks, in layers along the direction of the data (dagre). */

import dagre from "@dagrejs/dagre";
import type { Layout } from "../protocol";
import type { Catalogue } from "./catalogue";
import type { Drawing, Placed } from "./drawing";
import { type Direction, GRID, type Size, sizeOf, WIDTH } from "./geometry";
import { Ports } from "./ports";
import { wiresOf } from "./wires";

export function cardSize(ports: Ports, id: string, direction: Direction): Size {
  return sizeOf(ports.drawn(id), ports.given(id), direction);
}

/** Between the layers of a drawing: a shape such as (N, 16, 28, 28) fits on the wire. */
const APART = 120;
const ROW_GAP = 64;
/** What a window of 1440 x 900 has for a drawing, in pixels: the same everywhere, so that a layout is, too. */
const CANVAS = { width: 760, height: 690 };
/** Where blocks are this large, all is shown that is written on them; wires back turn this far beside a drawing. */
const LARGE = 0.72,
  TURNS = 48;
/** Where a part that cannot be cut is longer than this many rows, folding the rest helps nobody. */
const LONGEST = 2;
/** So many wires may lead from a row to those below; each but the first is as bad as a row too long by this, squared. */
const MOST_WIRES = 3,
  WIRE_COST = 2;

const snap = (value: number) => Math.round(value / GRID) * GRID;

interface Box extends Size {
  id: string;
  x: number;
  y: number;
}

/**
 * Places for all nodes; the top left one is at 0, 0. To the right, long drawings are folded into
 * rows, as text is, wherever a single wire leads on: so they fit a window at a readable size.
 */
export function tidy(drawing: Placed, direction: Direction, catalogue: Catalogue): Layout {
  const boxes = upright(layered(drawing, direction, catalogue), drawing, direction, catalogue);
  const folded = direction === "right" ? fold(boxes, drawing) : boxes;
  const left = Math.min(...folded.map((b) => b.x)),
    top = Math.min(...folded.map((b) => b.y));
  return Object.fromEntries(folded.map((b) => [b.id, [snap(b.x - left), snap(b.y - top)]]));
}

/** All nodes in layers, by dagre. */
function layered(drawing: Placed, direction: Direction, catalogue: Catalogue): Box[] {
  const ports = new Ports(catalogue, drawing.graph);
  const ids = Object.keys(drawing.graph.nodes);
  const plan = new dagre.graphlib.Graph({ multigraph: true });
  const down = direction === "down";
  plan.setGraph({
    rankdir: down ? "TB" : "LR",
    nodesep: down ? 56 : 44,
    ranksep: down ? 56 : APART,
    ranker: ids.length > 400 ? "longest-path" : "network-simplex",
  });
  plan.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) plan.setNode(id, { ...cardSize(ports, id, direction) });
  drawing.graph.edges.forEach((e, i) => {
    if (plan.hasNode(e.source) && plan.hasNode(e.target)) plan.setEdge(e.source, e.target, {}, String(i));
  });
  dagre.layout(plan);
  return ids.map((id) => {
    const { x, y, width, height } = plan.node(id) as Size & { x: number; y: number };
    return { id, x: x - width / 2, y: y - height / 2, width, height };
  });
}

/** Mirrored where the blocks that feed several ports of one block would else stand the other way round than these ports. */
function upright(boxes: Box[], drawing: Placed, direction: Direction, catalogue: Catalogue): Box[] {
  const ports = new Ports(catalogue, drawing.graph),
    box = new Map(boxes.map((b) => [b.id, b]));
  const across = (b: Box | undefined) => (!b ? 0 : direction === "right" ? b.y + b.height / 2 : b.x + b.width / 2);
  let wrong = 0;
  for (const id of box.keys()) {
    const places = wiresOf(drawing.graph.edges)
      .into(id)
      .map((e) => [ports.drawn(id).findIndex((p) => p.name === e.targetPort), across(box.get(e.source))] as const);
    for (const [port, at] of places)
      for (const [other, there] of places) wrong += port < other ? Math.sign(at - there) : 0;
  }
  if (wrong <= 0) return boxes;
  return boxes.map((b) => (direction === "right" ? { ...b, y: -b.y - b.height } : { ...b, x: -b.x - b.width }));
}

/** Cut the layers where few wires lead on, and set the parts in rows. */
function fold(boxes: Box[], drawing: Placed): Box[] {
  const columns = [...new Set(boxes.map((b) => Math.round(b.x + b.width / 2)))].sort((a, b) => a - b);
  const column = new Map(boxes.map((b) => [b.id, columns.indexOf(Math.round(b.x + b.width / 2))]));
  const height = mean(columns.map((_, c) => heightOf(boxes.filter((b) => column.get(b.id) === c))));
  const most = columnsFor(columns.length, height),
    wires = crossing(drawing, column, columns.length);
  const short = columns.length <= most || (columns.length <= ROW + 1 && wires.some((count) => count > 1));
  const rows = short ? [0] : rowsOf(wires, most);
  const row = (b: Box) => rows.findLastIndex((start) => start <= (column.get(b.id) ?? 0));
  const folded: Box[] = [];
  let top = 0;
  rows.forEach((_, r) => {
    const mine = straight(boxes.filter((b) => row(b) === r));
    const left = Math.min(...mine.map((b) => b.x)),
      y = Math.min(...mine.map((b) => b.y));
    folded.push(...mine.map((b) => ({ ...b, x: b.x - left, y: b.y - y + top })));
    top += Math.max(...mine.map((b) => b.y + b.height)) - y + ROW_GAP;
  });
  return folded;
}

/** How many columns a row has: as many as leave the blocks large, else those that make them largest. */
function columnsFor(count: number, height: number): number {
  const rows = (columns: number) => Math.ceil(count / columns);
  const zoom = (columns: number) =>
    Math.min(
      CANVAS.width / (columns * (WIDTH + APART) - APART + TURNS),
      CANVAS.height / (rows(columns) * (height + ROW_GAP) - ROW_GAP),
    );
  const ways = Array.from({ length: count }, (_, i) => count - i);
  return (
    ways.find((columns) => zoom(columns) >= LARGE) ??
    ways.reduce((best, columns) => (zoom(columns) > zoom(best) ? columns : best))
  );
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const heightOf = (boxes: Box[]) => Math.max(...boxes.map((b) => b.y + b.height)) - Math.min(...boxes.map((b) => b.y));

/** Blocks that are alone in their column stand in one line: the wires that skip them find a lane beside. */
function straight(row: Box[]): Box[] {
  const shared = (b: Box) => row.some((o) => o !== b && o.x < b.x + b.width && o.x + o.width > b.x);
  const alone = row.filter((b) => !shared(b)),
    ys = alone.map((b) => b.y).sort((a, b) => a - b);
  const y = ys[ys.length >> 1] ?? 0;
  return row.map((b) => (alone.includes(b) ? { ...b, y } : b));
}

/** For each column, how many outputs of columns before are read there or later. */
function crossing(drawing: Placed, column: Map<string, number>, count: number): number[] {
  const read = new Map<string, [number, number]>();
  for (const e of drawing.graph.edges) {
    const output = `${e.source}.${e.sourcePort}`,
      from = column.get(e.source) ?? 0,
      to = column.get(e.target) ?? 0;
    read.set(output, [from, Math.max(to, read.get(output)?.[1] ?? 0)]);
  }
  const spans = [...read.values()];
  return Array.from({ length: count }, (_, c) => spans.filter(([from, to]) => from < c && c <= to).length);
}

/** First columns of the rows: of the wished length, but cut where the fewest wires lead on; one row where that is no help. */
function rowsOf(crossing: readonly number[], most: number): number[] {
  const count = crossing.length;
  const best: { cost: number; rows: number[] }[] = [{ cost: 0, rows: [] }];
  for (let end = 1; end <= count; end++) {
    let cheapest = { cost: Infinity, rows: [] as number[] };
    for (let start = Math.max(0, end - LONGEST * most); start < end; start++) {
      const before = best[start] as { cost: number; rows: number[] },
        off = end - start - most;
      const wires = start && Math.max(0, (crossing[start] as number) - 1);
      const cost =
        before.cost + (end === count && off < 0 ? 0 : off * off) + (wires >= MOST_WIRES ? Infinity : WIRE_COST * wires);
      if (cost < cheapest.cost) cheapest = { cost, rows: [...before.rows, start] };
    }
    best.push(cheapest);
  }
  const rows = best[count]?.rows ?? [];
  return rows.length ? rows : [0];
}

/** Places for the nodes that have none; the others stay where they are. */
export function completed(drawing: Drawing, direction: Direction, catalogue: Catalogue): Drawing {
  const missing = Object.keys(drawing.graph.nodes).filter((id) => !drawing.layout[id]);
  if (!missing.length) return drawing;
  const places = tidy(drawing, direction, catalogue);
  if (missing.length === Object.keys(drawing.graph.nodes).length) return { ...drawing, layout: places };
  const layout: Layout = { ...drawing.layout },
    ports = new Ports(catalogue, drawing.graph);
  for (const id of missing) layout[id] = beside(ports, layout, id, direction) ?? (places[id] as [number, number]);
  return { ...drawing, layout };
}

/** A free place after the node that `id` reads from. */
function beside(ports: Ports, layout: Layout, id: string, direction: Direction): [number, number] | null {
  const source = ports.graph.edges.find((e) => e.target === id && layout[e.source])?.source;
  const at = source ? layout[source] : undefined;
  return at ? freePlace(ports, layout, id, at, direction) : null;
}

/** Blocks in a row that is drawn block by block. */
const ROW = 3;
const CARD = 78;
const CLEAR = 8;

/**
 * The first place after `at`, along the data, where the card of `id` covers no block; a long row
 * goes on below. `ports` are of a graph with `id`.
 */
export function freePlace(
  ports: Ports,
  layout: Layout,
  id: string,
  at: readonly [number, number],
  direction: Direction,
): [number, number] {
  const mine = cardSize(ports, id, direction);
  const boxes = Object.entries(layout).flatMap(([other, [x, y]]) =>
    other !== id && Object.hasOwn(ports.graph.nodes, other) ? [{ x, y, ...cardSize(ports, other, direction) }] : [],
  );
  const inRow = boxes.filter((b) => Math.abs(b.y - at[1]) < CARD && b.x <= at[0]).length;
  const wraps = direction === "right" && inRow >= ROW;
  let [x, y] = direction === "down" ? [at[0], at[1] + CARD + 56] : [at[0] + WIDTH + APART, at[1]];
  if (wraps) [x, y] = [Math.min(...boxes.map((b) => b.x)), Math.max(...boxes.map((b) => b.y + b.height)) + ROW_GAP];
  for (let turn = 0; turn <= boxes.length; turn++) {
    [x, y] = [snap(x), snap(y)];
    const hit = boxes.find(
      (b) =>
        b.x < x + mine.width + CLEAR &&
        b.x + b.width + CLEAR > x &&
        b.y < y + mine.height + CLEAR &&
        b.y + b.height + CLEAR > y,
    );
    if (!hit) break;
    if (direction === "down") x = hit.x + hit.width + 64;
    else y = hit.y + hit.height + ROW_GAP;
  }
  return [x, y];
}
