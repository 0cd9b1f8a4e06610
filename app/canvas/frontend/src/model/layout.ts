/** Tidy placement of all blocks, in layers along the direction of the data . */

import type { Layout } from "../protocol";
import { cardSize } from "./cardSize";
import type { Catalogue } from "./catalogue";
import { crossingsOf } from "./crossings";
import type { Drawing, Placed } from "./drawing";
import { type Direction, GRID, WIDTH } from "./geometry";
import { APART, BELOW, layered, type Way } from "./layers";
import { Ports } from "./ports";
import { type Box, fold } from "./rows";
import { type Stretch, stretchesOf } from "./stretches";

const ROW_GAP = 64;
/** What a window of 1440 x 900 has for a drawing, in pixels: the same everywhere, so that a layout is, too. */
const CANVAS = { width: 760, height: 690 };

/** Up to so many blocks of a stretch, and wires of a drawing, several ways to lay it out are compared. */
const FEW = 150,
  MANY = 400;
const WAYS: readonly Way[] = [false, true].flatMap((mirrored) =>
  (["network-simplex", "tight-tree", "longest-path"] as const).flatMap((ranker) =>
    [false, true].map((backwards) => ({ backwards, mirrored, ranker })),
  ),
);
const LARGE: Way = { backwards: false, mirrored: false, ranker: "tight-tree" };

const snap = (value: number) => Math.round(value / GRID) * GRID;

/**
 * Places for all nodes; the top left one is at 0, 0. To the right, long drawings are folded into
 * rows, as text is: so they fit a window at a readable size.
 */
export function tidy(drawing: Placed, direction: Direction, catalogue: Catalogue): Layout {
  const ports = new Ports(catalogue, drawing.graph);
  const boxes = joined(stretchesOf(drawing.graph), ports, direction);
  if (!boxes.length) return {};
  const folded = direction === "right" ? fold(boxes, drawing, APART, CANVAS) : boxes;
  return snapped(folded);
}

/** Places on the grid, the top left one at 0, 0. */
function snapped(boxes: readonly Box[]): Layout {
  const left = least(boxes, "x"),
    top = least(boxes, "y");
  return Object.fromEntries(boxes.map((b) => [b.id, [snap(b.x - left), snap(b.y - top)]]));
}

const least = (boxes: readonly Box[], axis: "x" | "y") => boxes.reduce((min, b) => Math.min(min, b[axis]), Infinity);

/** The stretches one after the other, each so that the wire to it leads straight on. */
function joined(stretches: readonly Stretch[], ports: Ports, direction: Direction): Box[] {
  const placed = new Map<string, Box>();
  const [along, across, long, apart] =
    direction === "right" ? (["x", "y", "width", APART] as const) : (["y", "x", "height", BELOW] as const);
  const alike = new Map<string, Box[]>();
  const ways = ports.graph.edges.length > MANY ? [LARGE] : WAYS;
  let end = 0;
  for (const stretch of stretches) {
    const shape = shapeOf(stretch, ports, direction);
    const known = alike.get(shape)?.map((b, i) => ({ ...b, id: stretch.ids[i] as string }));
    const boxes = known ?? bestOf(stretch, ports, direction, ways);
    if (!known) alike.set(shape, boxes);
    const first = boxes.find((b) => b.id === stretch.from?.target),
      last = placed.get(stretch.from?.source ?? "");
    const line = (b: Box) => (direction === "right" ? b.y : b.x + b.width / 2);
    const by = { along: end - least(boxes, along), across: first && last ? line(last) - line(first) : 0 };
    for (const b of boxes) {
      const moved = { ...b, [along]: b[along] + by.along, [across]: b[across] + by.across };
      placed.set(b.id, moved);
      end = Math.max(end, moved[along] + moved[long] + apart);
    }
  }
  return [...placed.values()];
}

/** The same for stretches that are laid out alike: networks repeat their parts. */
function shapeOf({ ids, edges }: Stretch, ports: Ports, direction: Direction): string {
  const index = new Map(ids.map((id, i) => [id, i]));
  const cards = ids.map((id) => {
    const { width, height } = cardSize(ports, id, direction);
    return `${width} ${height} ${ports.drawn(id).length} ${ports.given(id).length}`;
  });
  const wires = edges.map((e) => {
    const out = ports.given(e.source).findIndex((p) => p.name === e.sourcePort),
      into = ports.drawn(e.target).findIndex((p) => p.name === e.targetPort);
    return `${index.get(e.source)}.${out} ${index.get(e.target)}.${into}`;
  });
  return [...cards, ...wires].join();
}

/** Of some ways to lay out a stretch the one in which the fewest wires cross. */
function bestOf(stretch: Stretch, ports: Ports, direction: Direction, ways: readonly Way[]): Box[] {
  const count = stretch.ids.length;
  const [first] = ways as [Way];
  if (count === 1 || count > FEW || ways.length === 1) return layered(stretch, ports, direction, first);
  let best: { boxes: Box[]; crossings: number } | undefined;
  for (const way of ways) {
    const boxes = layered(stretch, ports, direction, way);
    const crossings = crossingsOf(stretch.edges, snapped(boxes), ports, direction);
    if (!best || crossings < best.crossings) best = { boxes, crossings };
    if (!best.crossings) break;
  }
  return best?.boxes ?? [];
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
