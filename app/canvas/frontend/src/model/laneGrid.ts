/** The lanes that one wire may take, what each step on them costs, and the cheapest way (A*). */

import type { Box } from "./cells";

type Point = readonly [number, number];

export interface Ends {
  start: Point;
  goal: Point;
}

/** A straight piece of another wire. */
export interface Piece {
  output: string;
  /** Of the wire that leads on to the nearest block: others of its output keep off it, too. */
  main: boolean;
  from: Point;
  to: Point;
}

/** What is to be avoided, each as bad as so many pixels of way. */
const BEND = 40,
  CROSS = 320;
/** For each pixel along another wire: next to it, and on it. */
const BESIDE = 3,
  ON = 24;
/** The same for one of the same output: on its main wire; with others of it a wire may run. */
const ON_MAIN = 12,
  WITH = -0.3;
const NEAR = 11,
  TOUCHING = 5;
/** How near a card a lane may be. */
const CLEAR = 6;
/** Wires of one output that cross look as if joined. */
const CROSS_OWN = 60;

export class LaneGrid {
  /** Costs of the step from each crossing of lines to the next along, and to the next across. */
  private readonly along: Float32Array;
  private readonly across: Float32Array;

  constructor(
    private readonly us: readonly number[],
    private readonly vs: readonly number[],
  ) {
    const size = us.length * vs.length;
    this.along = new Float32Array(size);
    this.across = new Float32Array(size);
    vs.forEach((_, j) => {
      us.forEach((u, i) => {
        this.along[j * us.length + i] = (us[i + 1] ?? Infinity) - u;
        this.across[j * us.length + i] = (vs[j + 1] ?? Infinity) - (vs[j] as number);
      });
    });
  }

  /** No way leads through a card. */
  block(cards: readonly Box[]): void {
    for (const { low, high } of cards) {
      this.rows(low[1] - CLEAR, high[1] + CLEAR, (j) =>
        this.steps(this.us, low[0] - CLEAR, high[0] + CLEAR, (i) => this.add(this.along, i, j, Infinity)),
      );
      this.columns(low[0] - CLEAR, high[0] + CLEAR, (i) =>
        this.steps(this.vs, low[1] - CLEAR, high[1] + CLEAR, (j) => this.add(this.across, i, j, Infinity)),
      );
    }
  }

  /** What it costs to cross a piece of another wire, or to run beside it. leads: the wire on its way is the main one of its output. */
  weigh({ from, to, output, main }: Piece, mine: string, leads: boolean): void {
    const own = output === mine;
    const [u0, v0] = from,
      [u1, v1] = to;
    const low: Point = [Math.min(u0, u1), Math.min(v0, v1)],
      high: Point = [Math.max(u0, u1), Math.max(v0, v1)];
    const cross = own ? CROSS_OWN : CROSS;
    if (v0 !== v1)
      this.rows(low[1], high[1], (j) => {
        const u = u0 + ((u1 - u0) * ((this.vs[j] as number) - v0)) / (v1 - v0);
        this.add(this.along, before(this.us, u), j, cross);
      });
    if (u0 !== u1)
      this.columns(low[0], high[0], (i) => {
        const v = v0 + ((v1 - v0) * ((this.us[i] as number) - u0)) / (u1 - u0);
        this.add(this.across, i, before(this.vs, v), cross);
      });
    const price = (apart: number) =>
      own ? (apart >= TOUCHING ? 0 : main || leads ? ON_MAIN : WITH) : apart < TOUCHING ? ON : BESIDE;
    if (high[1] - low[1] <= (high[0] - low[0]) * 0.3) this.beside(low, high, 0, price);
    else if (high[0] - low[0] <= (high[1] - low[1]) * 0.3) this.beside(low, high, 1, price);
  }

  private beside(low: Point, high: Point, axis: 0 | 1, price: (apart: number) => number): void {
    const lines = axis ? this.us : this.vs,
      steps = axis ? this.vs : this.us,
      middle = axis ? (low[0] + high[0]) / 2 : (low[1] + high[1]) / 2;
    this.range(lines, middle - NEAR, middle + NEAR, (line) => {
      const each = price(Math.abs((lines[line] as number) - middle));
      if (!each) return;
      const from = low[axis] - TOUCHING,
        to = high[axis] + TOUCHING;
      this.steps(steps, from, to, (step) => {
        const shared = Math.min(to, steps[step + 1] as number) - Math.max(from, steps[step] as number);
        if (shared > 0)
          this.add(axis ? this.across : this.along, axis ? line : step, axis ? step : line, shared * each);
      });
    });
  }

  private add(costs: Float32Array, i: number, j: number, cost: number): void {
    if (i < 0 || j < 0) return;
    const at = j * this.us.length + i;
    costs[at] = (costs[at] as number) + cost;
  }

  private rows(low: number, high: number, visit: (j: number) => void): void {
    this.range(this.vs, low, high, visit);
  }

  private columns(low: number, high: number, visit: (i: number) => void): void {
    this.range(this.us, low, high, visit);
  }

  /** The lines strictly between two places. */
  private range(lines: readonly number[], low: number, high: number, visit: (index: number) => void): void {
    for (let i = before(lines, low) + 1; i < lines.length && (lines[i] as number) < high; i++) {
      if ((lines[i] as number) > low) visit(i);
    }
  }

  /** The steps from line to line that lie, in part, between two places. */
  private steps(lines: readonly number[], low: number, high: number, visit: (index: number) => void): void {
    for (let i = Math.max(0, before(lines, low)); i + 1 < lines.length && (lines[i] as number) < high; i++) {
      if ((lines[i + 1] as number) > low) visit(i);
    }
  }

  /** The cheapest way that leaves the start and reaches the goal along the data. */
  cheapest({ start, goal }: Ends): Point[] | null {
    const { us, vs } = this,
      wide = us.length;
    const begin = vs.indexOf(start[1]) * wide + us.indexOf(start[0]),
      end = vs.indexOf(goal[1]) * wide + us.indexOf(goal[0]);
    const costs = new Float64Array(wide * vs.length * 4).fill(Infinity),
      from = new Int32Array(wide * vs.length * 4).fill(-1);
    const ahead = (node: number) =>
      Math.abs((us[node % wide] as number) - goal[0]) + Math.abs((vs[Math.floor(node / wide)] as number) - goal[1]);
    const open = new Heap();
    costs[begin * 4] = 0;
    open.push(ahead(begin), begin * 4);
    for (let state = open.pop(); state >= 0; state = open.pop()) {
      const node = state >> 2,
        way = state & 3,
        cost = costs[state] as number;
      if (node === end && way === 0) return this.course(from, state);
      if (node === end && way !== 2 && cost + BEND < (costs[end * 4] as number)) {
        costs[end * 4] = cost + BEND;
        from[end * 4] = state;
        open.push(cost + BEND, end * 4);
      }
      for (let turn = 0; turn < 4; turn++) {
        if (turn === (way ^ 2)) continue;
        const next = node + (turn === 0 ? 1 : turn === 2 ? -1 : turn === 1 ? wide : -wide);
        if (!this.inside(node, turn)) continue;
        const step = (turn & 1 ? this.across : this.along)[turn < 2 ? node : next] as number;
        if (step === Infinity) continue;
        const sum = cost + Math.max(step, 0.1) + (turn === way ? 0 : BEND);
        if (sum >= (costs[next * 4 + turn] as number)) continue;
        costs[next * 4 + turn] = sum;
        from[next * 4 + turn] = state;
        open.push(sum + ahead(next), next * 4 + turn);
      }
    }
    return null;
  }

  private inside(node: number, turn: number): boolean {
    const wide = this.us.length,
      i = node % wide,
      j = (node - i) / wide;
    return turn === 0 ? i + 1 < wide : turn === 2 ? i > 0 : turn === 1 ? j + 1 < this.vs.length : j > 0;
  }

  private course(from: Int32Array, last: number): Point[] {
    const points: Point[] = [];
    for (let state = last; state >= 0; state = from[state] as number) {
      const node = state >> 2,
        i = node % this.us.length;
      if ((from[state] as number) >> 2 === node) continue; // it turned there
      points.push([this.us[i] as number, this.vs[(node - i) / this.us.length] as number]);
    }
    return points.reverse();
  }
}

/** The last line at or before a place, so that the step from it to the next holds the place; -1 before the first. */
function before(lines: readonly number[], at: number): number {
  let low = 0,
    high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The least of many numbers first, each with what it is the cost of. */
class Heap {
  private readonly costs: number[] = [];
  private readonly states: number[] = [];

  push(cost: number, state: number): void {
    const { costs, states } = this;
    let at = costs.length;
    costs.push(cost);
    states.push(state);
    while (at) {
      const up = (at - 1) >> 1;
      if ((costs[up] as number) <= cost) break;
      costs[at] = costs[up] as number;
      states[at] = states[up] as number;
      at = up;
    }
    costs[at] = cost;
    states[at] = state;
  }

  /** -1 when empty. */
  pop(): number {
    const { costs, states } = this;
    const top = states[0] ?? -1,
      cost = costs.pop(),
      state = states.pop();
    if (cost === undefined || state === undefined || !costs.length) return top;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= costs.length) break;
      if (down + 1 < costs.length && (costs[down + 1] as number) < (costs[down] as number)) down++;
      if ((costs[down] as number) >= cost) break;
      costs[at] = costs[down] as number;
      states[at] = states[down] as number;
      at = down;
    }
    costs[at] = cost;
    states[at] = state;
    return top;
  }
}
