/** The course of a wire as an SVG path, where its label may stand, and what others must keep off. */

import { getBezierPath, getSmoothStepPath, Position } from "@xyflow/react";
import { curve } from "./curve";
import type { Point } from "./router";
import type { Spot } from "./wireLabels";
import type { Course } from "./wireRouting";

export interface Ends {
  sourceX: number;
  sourceY: number;
  targetX: number;
  targetY: number;
  sourcePosition: Position;
  targetPosition: Position;
}

export interface WirePath {
  path: string;
  /** Where its label may stand, the best first. */
  spots: readonly Spot[];
  /** The wire as straight pieces. */
  points: readonly Point[];
  /** Whether they stand for one curve from end to end. */
  curved: boolean;
}

/** An end that was dragged further than this from its course has none until it is dropped. */
const STILL_PX = 12;
const BESIDE = 8;
const RADIUS = 12;
const TURN = 24;
/** Pieces of a line that follows a curve, and a round corner. */
const SMOOTH = 30,
  CORNER = 5;
/** Where on a piece a label may stand, and how long a piece is that has one. */
const PLACES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9];
const LONG = 40;
/** About how wide a label is: a level piece that is no longer has less room than an upright one. */
const LABEL = 120;

/** Along its course, where it has one; else a curve forwards, or straight pieces back. */
export function wirePath(ends: Ends, course: Course | undefined): WirePath {
  return (course && along(ends, course)) ?? plain(ends);
}

/** Forwards a curve; backwards straight pieces, as they come. */
function plain(ends: Ends): WirePath {
  const { sourceX, sourceY, targetX, targetY } = ends;
  const right = ends.sourcePosition === Position.Right;
  const a: Point = right ? [sourceX, sourceY] : [sourceY, sourceX],
    b: Point = right ? [targetX, targetY] : [targetY, targetX];
  if (b[0] > a[0]) {
    const [path, x, y] = getBezierPath(ends);
    const points = curve(a, b).map(([u, v]): Point => (right ? [u, v] : [v, u]));
    const room = right ? b[0] - a[0] - BESIDE : Infinity;
    const aside = PLACES.slice(1).map((t): Spot => {
      const [px, py] = points[Math.round(t * (points.length - 1))] as Point;
      const level = a[1] === b[1] ? ([a[0] + (b[0] - a[0]) * t, a[1]] as const) : null;
      const [sx, sy] = level ? (right ? level : [level[1], level[0]]) : [px, py];
      return { x: sx, y: sy, room };
    });
    return { path, points, curved: true, spots: [{ x, y, room }, ...aside] };
  }
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: RADIUS, offset: TURN });
  return {
    path,
    points: [
      [sourceX, sourceY],
      [x, y],
      [targetX, targetY],
    ],
    curved: false,
    spots: [{ x, y, room: Infinity }],
  };
}

/** On its lanes; null while an end is dragged, when they are those of before. */
function along(ends: Ends, course: Course): WirePath | null {
  const a: Point = [ends.sourceX, ends.sourceY],
    b: Point = [ends.targetX, ends.targetY];
  const first = course.points[0] as Point,
    last = course.points.at(-1) as Point;
  const moved = Math.max(...[0, 1].map((i) => Math.max(gap(a, first, i as 0 | 1), gap(b, last, i as 0 | 1))));
  if (moved > STILL_PX) return null;
  const points =
    course.points.length === 2
      ? course.points
      : joined(course.points, a, b, ends.sourcePosition === Position.Right ? 1 : 0);
  return { path: rounded(points), points, curved: false, spots: spotsOn(points) };
}

const gap = (p: Point, q: Point, axis: 0 | 1) => Math.abs(p[axis] - q[axis]);

/** Led from and to where the ends are drawn: their first and last pieces stay straight. */
function joined(points: readonly Point[], a: Point, b: Point, across: 0 | 1): Point[] {
  const level = (p: Point, to: Point): Point => (across ? [p[0], to[1]] : [to[0], p[1]]);
  return points.map((p, i) => {
    if (i === 0) return a;
    if (i === points.length - 1) return b;
    if (i === 1) return level(p, a);
    return i === points.length - 2 ? level(p, b) : p;
  });
}

/** The wire as a line of short pieces, close enough for another line beside it. */
export function lineOf({ points, curved }: WirePath, down: boolean): Point[] {
  const [a, b] = [points[0] as Point, points.at(-1) as Point];
  if (!curved) return points.flatMap((p, i) => cornerOf(points[i - 1], p, points[i + 1]));
  return down ? curve([a[1], a[0]], [b[1], b[0]], SMOOTH).map(([u, v]): Point => [v, u]) : curve(a, b, SMOOTH);
}

/** A corner as the points of its curve; an end as itself. */
function cornerOf(before: Point | undefined, p: Point, after: Point | undefined): Point[] {
  if (!before || !after) return [p];
  const [from, to] = [before, after].map((q) => towards(p, q)) as [Point, Point];
  return Array.from({ length: CORNER + 1 }, (_, i): Point => {
    const t = i / CORNER;
    const at = (axis: 0 | 1) => (1 - t) ** 2 * from[axis] + 2 * t * (1 - t) * p[axis] + t * t * to[axis];
    return [at(0), at(1)];
  });
}

/** Where the curve of a corner begins on the way to a neighbour. */
function towards(p: Point, q: Point): Point {
  const far = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
  const by = Math.min(RADIUS, far / 2) / far;
  return [p[0] + (q[0] - p[0]) * by, p[1] + (q[1] - p[1]) * by];
}

/** Straight pieces with round corners. */
function rounded(points: readonly Point[]): string {
  const text = points.map((p, i) => {
    const before = points[i - 1],
      after = points[i + 1];
    if (!before) return `M${p[0]},${p[1]}`;
    if (!after) return `L${p[0]},${p[1]}`;
    const [from, to] = [before, after].map((q) => towards(p, q).join());
    return `L${from} Q${p[0]},${p[1]} ${to}`;
  });
  return text.join(" ");
}

/** Places on the pieces of a course, level ones and long ones first. */
function spotsOn(points: readonly Point[]): Spot[] {
  const pieces = points.slice(1).map((q, i) => {
    const p = points[i] as Point;
    const level = p[1] === q[1];
    return { p, q, level, long: Math.hypot(q[0] - p[0], q[1] - p[1]) };
  });
  const worth = ({ level, long }: { level: boolean; long: number }) =>
    (level ? long : long / 2) - LABEL / (level ? 1 : 2);
  return pieces
    .filter(({ long }) => long >= LONG)
    .sort((one, other) => worth(other) - worth(one))
    .flatMap(({ p, q, level, long }) =>
      PLACES.map((t) => ({
        x: p[0] + (q[0] - p[0]) * t,
        y: p[1] + (q[1] - p[1]) * t,
        room: level ? Math.min(t, 1 - t) * 2 * long : Infinity,
      })),
    );
}
