/**
 * The courses of the wires of a drawing: one that leads on to the next block is a curve; one that skips
 * blocks or leads back to a row below runs in straight pieces on lanes of its own beside the cards.
 */

import type { Drawing, Edge } from "./drawing";
import { type Direction, portPlace } from "./geometry";
import { edgeId } from "./graph";
import { cardSize } from "./cardSize";
import { around, type Box } from "./cells";
import type { Ports } from "./ports";
import { type Point, Router, type Wire } from "./router";
import { curve } from "./curve";

/** The corners of a wire, ends included: as [x, y]. */
export interface Course {
  points: readonly Point[];
  /** It runs with another of the same output, which says what travels there. */
  silent?: boolean;
}

/** A wire that leads on no further than this, with no block in its way, is a curve. */
const SHORTEST = 240;
const STRAIGHT = 2;
/** Nor is one a curve that leads much further across the data than along it. */
const STEEPEST = 2.5;
const CLEAR = 6;
/** So often are all courses found anew, each with all others known; larger drawings once. */
const ROUNDS = 2,
  MANY = 400;

type Courses = ReadonlyMap<string, Course>;
const known = new WeakMap<object, { layout: unknown; direction: Direction; courses: Courses }>();

/** The wires that run on lanes, by wire; the same while wires and places are. */
export function coursesOf({ graph, layout }: Drawing, ports: Ports, direction: Direction): Courses {
  const before = known.get(graph.edges);
  if (before?.layout === layout && before.direction === direction) return before.courses;
  const courses = made(graph.edges, layout, ports, direction);
  for (const [id, course] of courses) {
    const old = before?.courses.get(id);
    if (old && alike(old, course)) courses.set(id, old); // so that what did not move is not drawn anew
  }
  known.set(graph.edges, { layout, direction, courses });
  return courses;
}

const alike = (p: Course, q: Course) =>
  p.silent === q.silent &&
  p.points.length === q.points.length &&
  p.points.every(([x, y], i) => x === q.points[i]?.[0] && y === q.points[i]?.[1]);

function made(
  edges: readonly Edge[],
  layout: Drawing["layout"],
  ports: Ports,
  direction: Direction,
): Map<string, Course> {
  const turned = ([x, y]: Point): Point => (direction === "right" ? [x, y] : [y, x]);
  const { wires, cards } = laidOut(edges, layout, ports, direction);
  const found = routed(wires, cards);
  return new Map(
    [...found].map(([id, { points, silent }]) => [id, { points: points.map(turned), ...(silent && { silent }) }]),
  );
}

/** All wires and cards, by how far along the data they are and how far across. */
export function laidOut(
  edges: readonly Edge[],
  layout: Drawing["layout"],
  ports: Ports,
  direction: Direction,
): { wires: Wire[]; cards: Box[] } {
  const turned = ([x, y]: Point): Point => (direction === "right" ? [x, y] : [y, x]);
  const cards = new Map<string, Box>();
  for (const [id, at] of Object.entries(layout)) {
    if (!Object.hasOwn(ports.graph.nodes, id)) continue;
    const { width, height } = cardSize(ports, id, direction);
    cards.set(id, { low: turned([at[0], at[1]]), high: turned([at[0] + width, at[1] + height]) });
  }
  const wires = edges.flatMap((edge): Wire[] => {
    const [a, b] = [
      end(edge.source, edge.sourcePort, "out", layout, ports, direction),
      end(edge.target, edge.targetPort, "in", layout, ports, direction),
    ];
    return a && b
      ? [{ id: edgeId(edge), output: `${edge.source}.${edge.sourcePort}`, a: turned(a), b: turned(b) }]
      : [];
  });
  return { wires, cards: [...cards.values()] };
}

/** The courses of all wires that are no curves. */
export function routed(wires: readonly Wire[], cards: readonly Box[]): Map<string, Course> {
  const router = new Router(cards);
  const plain = wires.filter((wire) => leadsOn(wire, router));
  for (const wire of plain) router.place(wire, curve(wire.a, wire.b), true);
  const served = new Set(plain.map((wire) => wire.output));
  const others = wires.filter((wire) => !plain.includes(wire)).sort((p, q) => length(p) - length(q));
  const courses = new Map<string, Course>();
  const main = new Set<string>();
  for (const { id, output } of others) {
    if (!served.has(output)) main.add(id);
    served.add(output);
  }
  for (let round = 0; round < (others.length > MANY ? 1 : ROUNDS); round++) {
    for (const wire of others) {
      router.remove(wire.id);
      const points = router.route(wire, main.has(wire.id));
      if (points) courses.set(wire.id, { points });
      router.place(wire, points ?? curve(wire.a, wire.b), main.has(wire.id));
    }
  }
  for (const wire of plain) {
    const bent = curve(wire.a, wire.b);
    router.remove(wire.id);
    const before = router.crossings(wire, bent);
    const points = before ? router.route(wire, true) : null;
    const better = points !== null && router.crossings(wire, points) < before;
    if (better) courses.set(wire.id, { points });
    router.place(wire, better ? points : bent, true);
  }
  return withSilent(wires, courses);
}

const length = ({ a, b }: Wire) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);

/** Whether a wire leads straight on: near, or level, with no card in the way of its curve. */
function leadsOn({ a, b }: Wire, router: Router): boolean {
  const far = b[0] - a[0];
  if (far <= 0 || Math.abs(a[1] - b[1]) > STEEPEST * far || (far > SHORTEST && Math.abs(a[1] - b[1]) > STRAIGHT))
    return false;
  const points = curve(a, b);
  return points.slice(1).every((to, i) => {
    const { low, high } = around(points[i] as Point, to);
    const from = Math.max(low[0], a[0] + CLEAR),
      until = Math.min(high[0], b[0] - CLEAR);
    if (from >= until) return true;
    return !router.cardsIn({ low: [from, low[1] - CLEAR], high: [until, high[1] + CLEAR] }).length;
  });
}

/** Of wires of one output that run together, only the one that is drawn last says what travels there. */
function withSilent(wires: readonly Wire[], courses: Map<string, Course>): Map<string, Course> {
  const byOutput = new Map<string, string[]>();
  for (const { id, output } of wires) byOutput.set(output, [...(byOutput.get(output) ?? []), id]);
  for (const ids of byOutput.values()) {
    ids.forEach((id, i) => {
      const mine = courses.get(id);
      const later = ids.slice(i + 1).flatMap((other) => courses.get(other) ?? []);
      if (mine && later.some((other) => shared(mine, other) > 0.5)) courses.set(id, { ...mine, silent: true });
    });
  }
  return courses;
}

/** How much of the first course, as a part of it, lies on the second. */
function shared(one: Course, other: Course): number {
  const pieces = ({ points }: Course) => points.slice(1).map((q, i) => [points[i] as Point, q] as const);
  let all = 0,
    on = 0;
  for (const [p, q] of pieces(one)) {
    const axis = p[1] === q[1] ? 0 : 1,
      across = axis ? 0 : 1;
    all += Math.abs(p[axis] - q[axis]);
    for (const [r, s] of pieces(other)) {
      if (r[across] !== p[across] || s[across] !== p[across]) continue;
      const from = Math.max(Math.min(p[axis], q[axis]), Math.min(r[axis], s[axis])),
        to = Math.min(Math.max(p[axis], q[axis]), Math.max(r[axis], s[axis]));
      on += Math.max(0, to - from);
    }
  }
  return on / Math.max(all, 1);
}

function end(
  id: string,
  port: string,
  side: "in" | "out",
  layout: Drawing["layout"],
  ports: Ports,
  direction: Direction,
): Point | null {
  const at = layout[id];
  if (!at || !Object.hasOwn(ports.graph.nodes, id)) return null;
  const mine = side === "in" ? ports.drawn(id) : ports.given(id);
  const place = mine.findIndex((p) => p.name === port);
  const [x, y] = portPlace(side, Math.max(place, 0), mine, cardSize(ports, id, direction), direction);
  return [at[0] + x, at[1] + y];
}
