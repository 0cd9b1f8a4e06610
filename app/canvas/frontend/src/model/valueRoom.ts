/** How much higher the cards of a drawing may be while they show values: as much as is free below all of them. */

import { cardSize } from "./cardSize";
import type { Drawing } from "./drawing";
import { curve } from "./curve";
import type { Direction } from "./geometry";
import type { Ports } from "./ports";
import type { Point } from "./router";
import { coursesOf, laidOut } from "./wireRouting";

/** A picture is 40 pixels high; with so many more it is one and a half times as large, and three maps fill a card. */
const MOST = 18;
/** What stays free below a card: a wire keeps its distance, and so does its label. */
const CLEAR = 16;
/** Less is not worth that the cards change. */
const LEAST = 8;
/** In larger drawings cards are looked at from afar, and looking for room would take time. */
const MOST_CARDS = 150;

const known = new WeakMap<object, { layout: unknown; direction: Direction; room: number }>();

/** Pixels of the drawing; 0 where data flows down, as the wires leave below. */
export function valueRoom(drawing: Drawing, ports: Ports, direction: Direction): number {
  const { nodes, edges } = drawing.graph;
  if (direction === "down" || Object.keys(nodes).length > MOST_CARDS) return 0;
  const before = known.get(edges);
  if (before?.layout === drawing.layout && before.direction === direction) return before.room;
  const room = roomIn(drawing, ports);
  known.set(edges, { layout: drawing.layout, direction, room });
  return room;
}

/** Whether a card has room for more: with several ports these stand below its picture. */
export const growsTaller = (ports: Ports, id: string): boolean =>
  ports.drawn(id).length < 2 && ports.given(id).length < 2;

function roomIn({ graph, layout }: Drawing, ports: Ports): number {
  const courses = coursesOf({ graph, layout, notes: [] }, ports, "right");
  const { wires } = laidOut(graph.edges, layout, ports, "right");
  const pieces = wires.flatMap(({ id, a, b }) => piecesOf(courses.get(id)?.points ?? curve(a, b)));
  const cards = Object.entries(layout).flatMap(([id, [x, y]]) =>
    Object.hasOwn(graph.nodes, id) ? [{ id, x, y, ...cardSize(ports, id, "right") }] : [],
  );
  let free = MOST + CLEAR;
  for (const { id, x, y, width, height } of cards) {
    if (!growsTaller(ports, id)) continue;
    const bottom = y + height;
    const below = [
      ...cards.map((other): Box => [other.x, other.x + other.width, other.y]),
      ...pieces.map(([p, q]): Box => [Math.min(p[0], q[0]), Math.max(p[0], q[0]), Math.min(p[1], q[1])]),
    ].filter(([left, right, top]) => right > x && left < x + width && top >= bottom);
    free = Math.min(free, ...below.map(([, , top]) => top - bottom));
  }
  const room = Math.min(MOST, free - CLEAR);
  return room < LEAST ? 0 : room;
}

/** Left and right end, and how high it reaches. */
type Box = [number, number, number];

const piecesOf = (points: readonly Point[]): [Point, Point][] => points.slice(1).map((q, i) => [points[i] as Point, q]);
