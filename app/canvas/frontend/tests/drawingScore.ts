/** How well a drawing can be read: what its wires cross, lie on and strike through. */

import { Position } from "@xyflow/react";
import type { Catalogue } from "../src/model/catalogue";
import type { Placed } from "../src/model/drawing";
import { type Direction, portPlace } from "../src/model/geometry";
import { edgeId } from "../src/model/graph";
import { cardSize } from "../src/model/cardSize";
import type { Rect } from "../src/model/minimap";
import { Ports } from "../src/model/ports";
import { arrangeLabels, type WireLabel } from "../src/model/wireLabels";
import { wirePath } from "../src/model/wirePath";
import { coursesOf } from "../src/model/wireRouting";

type Point = readonly [number, number];

export interface Score {
  /** Pairs of wires of different outputs that cross. */
  crossings: number;
  /** Pairs of wires that lie on each other: of different outputs, or one on the wire of its output that leads on. */
  overlaps: number;
  /** Wires that go through a card, one for each. */
  through: number;
  /** Corners and curves. */
  bends: number;
  /** Labels that another wire strikes through. */
  labels: number;
  /** Wires whose label has no room. */
  unlabelled: number;
  width: number;
  height: number;
}

const TOGETHER = 24,
  OWN_TOGETHER = 60;
const NEAR = 4;

/** The points of an SVG path of M, L, C and Q, its curves in pieces, and how many corners it has. */
function flattened(path: string): { points: Point[]; bends: number } {
  const points: Point[] = [];
  let bends = 0;
  for (const [, command, rest] of path.matchAll(/([MLCQ])([^MLCQ]*)/g)) {
    const n = (rest?.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
    const places = Array.from({ length: n.length / 2 }, (_, i): Point => [n[2 * i] as number, n[2 * i + 1] as number]);
    const last = points.at(-1);
    if (command === "M" || command === "L" || !last) {
      points.push(...places);
      continue;
    }
    bends +=
      Math.abs(last[0] - (places.at(-1) as Point)[0]) > 1 && Math.abs(last[1] - (places.at(-1) as Point)[1]) > 1
        ? 1
        : 0;
    const steps = command === "C" ? 17 : 4;
    for (let i = 1; i <= steps; i++) points.push(onCurve([last, ...places], i / steps));
  }
  return { points, bends };
}

function onCurve(points: readonly Point[], t: number): Point {
  if (points.length === 1) return points[0] as Point;
  const mix = (p: Point, q: Point): Point => [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t];
  return onCurve(
    points.slice(1).map((q, i) => mix(points[i] as Point, q)),
    t,
  );
}

interface Drawn {
  id: string;
  output: string;
  target: string;
  points: Point[];
  bends: number;
  label: WireLabel;
}

/** All wires of a drawing, on their courses; or each as a curve, as if there were no others. */
export function wiresDrawn(drawing: Placed, catalogue: Catalogue, direction: Direction, routed = true): Drawn[] {
  const { graph, layout } = drawing;
  const ports = new Ports(catalogue, graph);
  const courses: ReturnType<typeof coursesOf> = routed
    ? coursesOf({ ...drawing, notes: [] }, ports, direction)
    : new Map();
  const right = direction === "right";
  return graph.edges.flatMap((e): Drawn[] => {
    const from = layout[e.source],
      to = layout[e.target];
    if (!from || !to) return [];
    const given = ports.given(e.source),
      drawn = ports.drawn(e.target);
    const out = given.findIndex((p) => p.name === e.sourcePort),
      into = drawn.findIndex((p) => p.name === e.targetPort);
    const [x0, y0] = portPlace("out", Math.max(out, 0), given, cardSize(ports, e.source, direction), direction);
    const [x1, y1] = portPlace("in", Math.max(into, 0), drawn, cardSize(ports, e.target, direction), direction);
    const id = edgeId(e),
      lane = courses.get(id);
    const course = wirePath(
      {
        sourceX: from[0] + x0,
        sourceY: from[1] + y0,
        targetX: to[0] + x1,
        targetY: to[1] + y1,
        sourcePosition: right ? Position.Right : Position.Bottom,
        targetPosition: right ? Position.Left : Position.Top,
      },
      lane,
    );
    const { points, bends } = flattened(course.path);
    const output = `${e.source}.${e.sourcePort}`,
      text = lane?.silent ? "" : "(N, 16, 28, 28)";
    const label = { id, output, text, spots: course.spots, points: course.points };
    return [{ id, output, target: e.target, points, bends, label }];
  });
}

type Segment = readonly [Point, Point];
const segments = (points: readonly Point[]): Segment[] => points.slice(1).map((q, i) => [points[i] as Point, q]);

function cross([p, q]: Segment, [r, s]: Segment): boolean {
  const side = (a: Point, b: Point, c: Point) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  return side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0;
}

/** How long two pieces that are nearly parallel lie on each other. */
function together([p, q]: Segment, [r, s]: Segment): number {
  for (const [along, across] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const flat = (m: Point, n: Point) => Math.abs(m[across] - n[across]) <= Math.abs(m[along] - n[along]) * 0.2;
    if (!flat(p, q) || !flat(r, s)) continue;
    const low = Math.max(Math.min(p[along], q[along]), Math.min(r[along], s[along])),
      high = Math.min(Math.max(p[along], q[along]), Math.max(r[along], s[along]));
    const apart = Math.abs((p[across] + q[across]) / 2 - (r[across] + s[across]) / 2);
    return apart < NEAR && high > low ? high - low : 0;
  }
  return 0;
}

const box = (points: readonly Point[]) => {
  const xs = points.map((p) => p[0]),
    ys = points.map((p) => p[1]);
  return { x: Math.min(...xs), y: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
};
type Box = ReturnType<typeof box>;
const meet = (a: Box, b: Box) =>
  a.x <= b.right + NEAR && b.x <= a.right + NEAR && a.y <= b.bottom + NEAR && b.y <= a.bottom + NEAR;

function struck(rect: Rect, points: readonly Point[]): boolean {
  const inside = ([x, y]: Point) => x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height;
  const { x, y, width, height } = rect;
  const corners: Point[] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
    [x, y],
  ];
  return segments(points).some(
    (piece) => inside(piece[0]) || inside(piece[1]) || segments(corners).some((side) => cross(piece, side)),
  );
}

/** Of each output the wire that leads on: to the nearest block along the data, of those the nearest across it. */
function mainWires(wires: readonly Drawn[], direction: Direction): Set<string> {
  const far = ({ points }: Drawn) => {
    const [x, y] = [0, 1].map((i) => (points.at(-1)?.[i] ?? 0) - (points[0]?.[i] ?? 0)) as [number, number];
    const [along, across] = direction === "right" ? [x, y] : [y, x];
    return (along > 0 ? Math.round(along / 100) : 1e3) * 1e5 + Math.abs(across);
  };
  const nearest = new Map<string, Drawn>();
  for (const wire of wires) {
    const best = nearest.get(wire.output);
    if (!best || far(wire) < far(best)) nearest.set(wire.output, wire);
  }
  return new Set([...nearest.values()].map((w) => w.id));
}

/** Of a drawing as it is drawn, or with other wires. */
export function score(
  drawing: Placed,
  catalogue: Catalogue,
  direction: Direction,
  wires = wiresDrawn(drawing, catalogue, direction),
): Score {
  const ports = new Ports(catalogue, drawing.graph);
  const cards = Object.entries(drawing.layout).map(([id, [x, y]]) => ({ id, x, y, ...cardSize(ports, id, direction) }));
  const boxes = wires.map((w) => box(w.points)),
    mains = mainWires(wires, direction);
  let crossings = 0,
    overlaps = 0,
    through = 0;
  wires.forEach((one, i) => {
    for (let j = i + 1; j < wires.length; j++) {
      const other = wires[j] as Drawn;
      if (!meet(boxes[i] as Box, boxes[j] as Box)) continue;
      const mine = segments(one.points),
        theirs = segments(other.points);
      const own = one.output === other.output;
      if (own && !mains.has(one.id) && !mains.has(other.id)) continue;
      crossings += !own && mine.some((p) => theirs.some((q) => cross(p, q))) ? 1 : 0;
      const shared = mine.reduce((sum, p) => sum + theirs.reduce((part, q) => part + together(p, q), 0), 0);
      overlaps += shared > (own ? OWN_TOGETHER : TOGETHER) ? 1 : 0;
    }
    for (const card of cards) {
      if (one.output.startsWith(`${card.id}.`) || one.target === card.id) continue;
      through += struck({ x: card.x + 2, y: card.y + 2, width: card.width - 4, height: card.height - 4 }, one.points)
        ? 1
        : 0;
    }
  });
  const spoken = wires.filter((w) => w.label.text);
  const shown = arrangeLabels(
    wires.map((w) => w.label),
    cards,
    1,
  );
  let labels = 0;
  for (const wire of spoken) {
    const label = shown.get(wire.id);
    if (!label) continue;
    const { x, y, width, height } = label;
    const rect = { x: x - width / 2, y: y - height / 2, width, height };
    const over = (w: Drawn, at: number) => w.output !== wire.output || at > wires.indexOf(wire);
    labels += wires.some((w, at) => over(w, at) && struck(rect, w.points)) ? 1 : 0;
  }
  const all = box(
    cards.flatMap((c): Point[] => [
      [c.x, c.y],
      [c.x + c.width, c.y + c.height],
    ]),
  );
  return {
    crossings,
    overlaps,
    through,
    bends: wires.reduce((sum, w) => sum + w.bends, 0),
    labels,
    unlabelled: spoken.length - shown.size,
    width: all.right - all.x,
    height: all.bottom - all.y,
  };
}
