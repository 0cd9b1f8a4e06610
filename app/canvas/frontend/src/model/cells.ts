/** Boxes of any things, looked up by where they are. */

type Point = readonly [number, number];

export interface Box {
  low: Point;
  high: Point;
}

export const overlap = (p: Box, q: Box): boolean =>
  p.low[0] < q.high[0] && q.low[0] < p.high[0] && p.low[1] < q.high[1] && q.low[1] < p.high[1];

export const around = (from: Point, to: Point): Box => ({
  low: [Math.min(from[0], to[0]), Math.min(from[1], to[1])],
  high: [Math.max(from[0], to[0]), Math.max(from[1], to[1])],
});

const CELL = 384;

export class Cells<T> {
  private readonly cells = new Map<number, Set<T>>();

  add(item: T, box: Box): void {
    for (const key of keys(box)) {
      const here = this.cells.get(key);
      if (here) here.add(item);
      else this.cells.set(key, new Set([item]));
    }
  }

  remove(item: T, box: Box): void {
    for (const key of keys(box)) this.cells.get(key)?.delete(item);
  }

  /** All whose cells the box touches, each once. */
  near(box: Box): Set<T> {
    const all = new Set<T>();
    for (const key of keys(box)) for (const item of this.cells.get(key) ?? []) all.add(item);
    return all;
  }
}

function keys({ low, high }: Box): number[] {
  const all: number[] = [];
  for (let i = Math.floor(low[0] / CELL); i <= Math.floor(high[0] / CELL); i++) {
    for (let j = Math.floor(low[1] / CELL); j <= Math.floor(high[1] / CELL); j++) all.push(i * 65536 + j);
  }
  return all;
}
