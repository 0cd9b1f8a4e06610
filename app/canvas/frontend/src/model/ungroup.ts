/** A use of a composite back into the blocks it stands for: wires and settings stay. */

import type { CompositeJson, Layout, NodeJson, Note, Settings } from "../protocol";
import type { Catalogue } from "./catalogue";
import type { Drawing, Edge } from "./drawing";
import { evaluate, Unreadable } from "./expression";
import type { Direction } from "./geometry";
import * as g from "./graph";
import { completed } from "./layout";
import { freshId, idProblem } from "./names";
import { freshNoteId, withoutBlocks } from "./notes";
import { compositesOf, inside } from "./scope";

type Point = readonly [source: string, port: string];
const MOST = 200;

export interface Unpacked {
  drawing: Drawing;
  ids: string[];
}

/** Put the blocks of a composite in the place of its use; expressions become their values. */
export function ungroup(drawing: Drawing, id: string, catalogue: Catalogue, direction: Direction): Unpacked {
  const { graph } = drawing;
  const use = graph.nodes[id];
  const part = compositesOf(graph)[use?.block ?? ""];
  if (!use || !part || part.python) throw new g.Refused(`${id} is not a composite of blocks.`);
  const sharer = Object.entries(graph.nodes).find(([, n]) => n.weights_of === id);
  if (sharer) throw new g.Refused(`${sharer[0]} shares the weights of ${id}: delete it first.`);
  if (g.isUnused(graph, id) && Object.values(part.nodes).some((n) => !n.unused)) {
    throw new g.Refused(
      `${id} is not used by forward, but ${use.block} has blocks that are: draw a wire into ${id} first.`,
    );
  }
  const times = use.repeat ?? 1;
  if (times > MOST) throw new g.Refused(`${id} is repeated ${times} times; at most ${MOST} can be unpacked.`);
  return new Unpack(drawing, id, use, part, catalogue, direction).run(times);
}

/** How a block learns that stood in a composite: what was said of both. */
function joined(use: NodeJson, node: NodeJson): g.Marks {
  const factor = Number(((use.lr_factor ?? 1) * (node.lr_factor ?? 1)).toPrecision(12));
  return {
    ...(use.frozen || node.frozen ? { frozen: true } : {}),
    ...(factor === 1 && node.lr_factor === undefined ? {} : { lr_factor: factor }),
  };
}

class Unpack {
  private nodes: [string, NodeJson][] = [];
  private edges: Edge[] = [];
  private places: Layout = {};
  private notes: Note[] = [];
  private readonly taken: Record<string, unknown>;

  constructor(
    readonly drawing: Drawing,
    readonly id: string,
    readonly use: NodeJson,
    readonly part: CompositeJson,
    readonly catalogue: Catalogue,
    readonly direction: Direction,
  ) {
    const { [id]: _, ...rest } = drawing.graph.nodes;
    this.taken = { ...rest };
  }

  run(times: number): Unpacked {
    const { graph, layout } = this.drawing;
    const inner = completed(inside(this.drawing, this.use.block ?? "", this.catalogue), this.direction, this.catalogue);
    const ends = (block: string) => Object.keys(this.part.nodes).filter((n) => this.part.nodes[n]?.block === block);
    const ins = ends("Input"),
      outs = ends("Output");
    let fed = ins.map((port): Point | undefined => {
      const wire = graph.edges.find((e) => e.target === this.id && e.targetPort === port);
      return wire && [wire.source, wire.sourcePort];
    });
    let left: (Point | undefined)[] = [];
    for (let turn = 0; turn < times; turn++) {
      left = this.copy(inner, new Map(ins.map((port, i) => [port, fed[i]])), outs, turn);
      fed = [left[0], ...fed.slice(1)];
    }
    const around = graph.edges
      .filter((e) => e.target !== this.id)
      .flatMap((e) => {
        if (e.source !== this.id) return [e];
        const from = left[outs.indexOf(e.sourcePort)];
        return from ? [{ ...e, source: from[0], sourcePort: from[1] }] : [];
      });
    const nodes = Object.entries(graph.nodes).flatMap(([name, n]) =>
      name === this.id ? this.nodes : [[name, n] as const],
    );
    const next = { ...graph, nodes: Object.fromEntries(nodes), edges: [...around, ...this.edges] };
    const { [this.id]: _, ...rest } = layout;
    const ids = this.nodes.map(([name]) => name);
    const notes = [...withoutBlocks(this.drawing.notes, new Set([this.id])), ...this.notes];
    const made = g.sortEdges(g.inOrder(next), this.catalogue);
    return { drawing: { graph: made, layout: { ...rest, ...this.places }, notes }, ids };
  }

  /** One repetition; returns what its Outputs receive. */
  private copy(
    inner: Drawing,
    fed: Map<string, Point | undefined>,
    outs: string[],
    turn: number,
  ): (Point | undefined)[] {
    const names = new Map<string, string>();
    const real = Object.entries(inner.graph.nodes).filter(([, n]) => !g.isEnd(n));
    for (const [old] of real) names.set(old, this.name(old));
    for (const [old, node] of real) {
      const owner = node.weights_of && names.get(node.weights_of);
      this.nodes.push([
        names.get(old) as string,
        { ...this.evaluated(node), ...(owner ? { weights_of: owner } : node.weights_of ? {} : joined(this.use, node)) },
      ]);
    }
    this.place(inner.layout, names, turn);
    if (turn === 0) this.unpin(inner.notes, names);
    const from = (e: Edge): Point | undefined => {
      const name = names.get(e.source);
      return name ? [name, e.sourcePort] : fed.get(e.source);
    };
    for (const e of inner.graph.edges) {
      const target = names.get(e.target),
        source = from(e);
      if (target && source)
        this.edges.push({ source: source[0], sourcePort: source[1], target, targetPort: e.targetPort });
    }
    return outs.map((out) => {
      const wire = inner.graph.edges.find((e) => e.target === out);
      return wire && from(wire);
    });
  }

  /** Notes pinned to the blocks inside stay with them. */
  private unpin(notes: readonly Note[], names: Map<string, string>): void {
    for (const note of notes) {
      const node = names.get(note.node ?? "");
      if (node) this.notes.push({ ...note, node, id: freshNoteId([...this.drawing.notes, ...this.notes]) });
    }
  }

  private name(old: string): string {
    const free = idProblem(old, this.catalogue, this.taken) === "";
    const id = free ? old : freshId(old.replace(/\d+$/, ""), this.catalogue, this.taken);
    this.taken[id] = 1;
    return id;
  }

  private evaluated(node: NodeJson): NodeJson {
    if (!node.settings) return node;
    const env: Settings = { ...this.part.settings, ...this.use.settings };
    try {
      const settings = Object.fromEntries(Object.entries(node.settings).map(([k, v]) => [k, evaluate(v, env)]));
      return { ...node, settings };
    } catch (error) {
      if (error instanceof Unreadable) throw new g.Refused(error.message);
      throw error;
    }
  }

  /** Around the place of the use, as they stand in the composite; repetitions below each other. */
  private place(layout: Layout, names: Map<string, string>, turn: number): void {
    const known = [...names.keys()].flatMap((old) => (layout[old] ? [layout[old]] : []));
    if (known.length < names.size) return;
    const left = Math.min(...known.map((p) => p[0])),
      top = Math.min(...known.map((p) => p[1]));
    const high = Math.max(...known.map((p) => p[1])) - top + 140;
    const [x, y] = this.drawing.layout[this.id] ?? [0, 0];
    for (const [old, name] of names) {
      const at = layout[old] ?? [0, 0];
      this.places[name] = [x + at[0] - left, y + at[1] - top + turn * high];
    }
  }
}
