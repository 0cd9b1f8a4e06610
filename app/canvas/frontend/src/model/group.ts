/** Blocks into a composite, and a composite back into its blocks. */

import type { CompositeJson, Json, Layout, NodeJson, Settings } from "../protocol";
import type { Catalogue } from "./catalogue";
import type { Drawing, Edge, Graph } from "./drawing";
import { namesIn } from "./expression";
import type { Direction } from "./geometry";
import * as g from "./graph";
import { tidy } from "./layout";
import { freshId, idProblem, stem } from "./names";
import { withoutBlocks } from "./notes";
import { Ports } from "./ports";
import { compositesOf } from "./scope";

const NAME = /^[A-Z][A-Za-z0-9_]{0,39}$/;

/** Why a name cannot be that of a new composite; "" when it can. */
export function nameProblem(name: string, graph: Graph, catalogue: Catalogue): string {
  if (!NAME.test(name))
    return "Start with a capital letter, then letters, digits or _: it becomes a class in the source.";
  if (catalogue.block(name)) return `${name} is already a block of PyTorch.`;
  if (catalogue.taken(name)) return `${name} is ${catalogue.taken(name)}; choose another.`;
  return Object.hasOwn(compositesOf(graph), name) ? `There is already a composite ${name}.` : "";
}

/** The first free name of a composite that begins so. */
export function freshName(base: string, graph: Graph, catalogue: Catalogue): string {
  const bare = base.replace(/\d+$/, "") || "Block";
  for (let n = bare === base ? 1 : 2; ; n++) {
    const name = n === 1 ? bare : `${bare}${n}`;
    if (nameProblem(name, graph, catalogue) === "") return name;
  }
}

/** Those of the chosen blocks that can go into a composite, in file order. */
export function groupable(graph: Graph, ids: ReadonlySet<string>): string[] {
  return Object.keys(graph.nodes).filter((id) => ids.has(id) && !g.isEnd(graph.nodes[id]));
}

export interface Grouped {
  drawing: Drawing;
  id: string;
}

/** Put blocks into a new composite; its Inputs and Outputs are the wires that cross. */
export function group(
  drawing: Drawing,
  chosen: ReadonlySet<string>,
  name: string,
  env: Settings,
  direction: Direction,
  catalogue: Catalogue,
): Grouped {
  const { graph } = drawing;
  const ids = groupable(graph, chosen),
    mine = new Set(ids);
  refuse(graph, ids, mine, name, catalogue);
  const cut = new Cut(graph, mine, catalogue);
  const settings = settingsOf(
    ids.map((id) => graph.nodes[id] as NodeJson),
    env,
  );
  const nodes: Record<string, NodeJson> = {};
  for (const end of cut.inputs) nodes[end.id] = { block: "Input" };
  for (const id of ids) nodes[id] = graph.nodes[id] as NodeJson;
  for (const end of cut.outputs) nodes[end.id] = { block: "Output" };
  const composites = compositesOf(graph);
  const notes = drawing.notes.filter((n) => n.node && mine.has(n.node));
  const own = g.inOrder({ nodes, edges: cut.inner, composites: { ...composites } });
  const inner = g.sortEdges(own, catalogue);
  const written = g.toWire(inner, catalogue);
  const part: CompositeJson = {
    settings,
    nodes: written.nodes,
    edges: written.edges,
    layout: tidy({ graph: inner, layout: {} }, direction, catalogue),
    ...(notes.length ? { notes } : {}),
  };
  const id = freshId(stem(name, catalogue), catalogue, omit(graph.nodes, mine));
  const use: NodeJson = {
    block: name,
    ...(Object.keys(settings).length
      ? { settings: Object.fromEntries(Object.keys(settings).map((s) => [s, `=${s}`])) }
      : {}),
    ...(ids.every((id) => g.isUnused(graph, id)) ? { unused: true } : {}),
  };
  const last = ids[ids.length - 1];
  const outside = Object.entries(graph.nodes).flatMap(([k, n]): [string, NodeJson][] =>
    k === last ? [[id, use]] : mine.has(k) ? [] : [[k, n]],
  );
  const next: Graph = {
    ...graph,
    nodes: Object.fromEntries(outside),
    edges: cut.outer(id),
    composites: { ...composites, [name]: part },
  };
  const layout = { ...omit(drawing.layout, mine), [id]: middle(drawing.layout, ids) };
  const left = withoutBlocks(drawing.notes, mine);
  return { drawing: { graph: g.sortEdges(g.inOrder(next), catalogue), layout, notes: left }, id };
}

function omit<T>(all: Readonly<Record<string, T>>, gone: ReadonlySet<string>): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([id]) => !gone.has(id)));
}

function middle(layout: Layout, ids: string[]): [number, number] {
  const places = ids.map((id) => layout[id] ?? [0, 0]);
  const mean = (i: 0 | 1) => Math.round(places.reduce((sum, p) => sum + (p[i] ?? 0), 0) / places.length / 8) * 8;
  return [mean(0), mean(1)];
}

/** Inside an opened composite, the new one gets the settings that its expressions use. */
function settingsOf(nodes: NodeJson[], env: Settings): Settings {
  const used = nodes.flatMap((n) => Object.values(n.settings ?? {}).flatMap(namesIn));
  return Object.fromEntries([...new Set(used)].filter((s) => Object.hasOwn(env, s)).map((s) => [s, env[s] as Json]));
}

function refuse(graph: Graph, ids: string[], mine: ReadonlySet<string>, name: string, catalogue: Catalogue): void {
  if (!ids.length) throw new g.Refused("Select the blocks to group; Input and Output stay outside.");
  const reason = nameProblem(name, graph, catalogue);
  if (reason) throw new g.Refused(reason);
  const after = new Set(
    ids.flatMap((id) => graph.edges.filter((e) => e.source === id && !mine.has(e.target)).map((e) => e.target)),
  );
  for (const id of Object.keys(graph.nodes)) {
    if (mine.has(id) || !ids.some((m) => graph.edges.some((e) => e.source === id && e.target === m))) continue;
    const before = g.ancestors(graph, id);
    if (after.has(id) || [...after].some((a) => before.has(a))) {
      throw new g.Refused(`${id} is between the selected blocks: select it too.`);
    }
  }
  for (const [id, { weights_of: owner }] of Object.entries(graph.nodes)) {
    if (owner && mine.has(owner) !== mine.has(id)) {
      throw new g.Refused(`${id} shares the weights of ${owner}: select both or neither.`);
    }
  }
}

interface End {
  id: string;
  outer: readonly [string, string];
}

/** The wires at the border of a selection. */
class Cut {
  readonly inputs: End[] = [];
  readonly outputs: End[] = [];
  readonly inner: Edge[] = [];
  private readonly ports: Ports;
  private readonly taken: Record<string, unknown>;

  constructor(
    readonly graph: Graph,
    readonly mine: ReadonlySet<string>,
    readonly catalogue: Catalogue,
  ) {
    this.ports = new Ports(catalogue, graph);
    this.taken = Object.fromEntries([...mine].map((id) => [id, 1]));
    const into = graph.edges.filter((e) => !mine.has(e.source) && mine.has(e.target));
    const out = graph.edges.filter((e) => mine.has(e.source) && !mine.has(e.target));
    this.inner = graph.edges.filter((e) => mine.has(e.source) && mine.has(e.target));
    this.enter(into);
    this.leave(out.length ? out : this.loose());
  }

  /** One Input for each output that feeds the selection, however many wires it has. */
  private enter(wires: Edge[]): void {
    const sources = new Set(wires.map((e) => `${e.source} ${e.sourcePort}`));
    for (const e of wires) {
      let end = this.inputs.find((i) => i.outer[0] === e.source && i.outer[1] === e.sourcePort);
      if (!end) {
        end = { id: this.name(sources.size === 1 ? "input" : e.source), outer: [e.source, e.sourcePort] };
        this.inputs.push(end);
      }
      this.inner.push({ ...e, source: end.id, sourcePort: "output" });
    }
    if (!wires.length) this.openInputs();
  }

  /** Nothing feeds the selection yet: what it needs becomes its Inputs. */
  private openInputs(): void {
    for (const target of this.mine) {
      const port = this.ports.inputs(target)[0];
      const fed = this.inner.some((e) => e.target === target);
      if (!port || port.optional || port.kind !== "tensor" || fed || g.isUnused(this.graph, target)) continue;
      const id = this.name("input");
      this.inputs.push({ id, outer: ["", ""] });
      this.inner.push({ source: id, sourcePort: "output", target, targetPort: port.name });
    }
  }

  private leave(wires: Edge[]): void {
    const sources = new Set(wires.map((e) => `${e.source} ${e.sourcePort}`));
    for (const e of wires) {
      if (this.outputs.some((o) => o.outer[0] === e.source && o.outer[1] === e.sourcePort)) continue;
      const id = this.name(sources.size === 1 ? "output" : `${e.source}_out`);
      this.outputs.push({ id, outer: [e.source, e.sourcePort] });
      this.inner.push({ source: e.source, sourcePort: e.sourcePort, target: id, targetPort: "input" });
    }
  }

  /** Ends that nothing reads, as wires to nowhere. */
  private loose(): Edge[] {
    const ends = [...this.mine].filter(
      (id) => !this.graph.edges.some((e) => e.source === id) && !g.isUnused(this.graph, id),
    );
    return ends.flatMap((source) => {
      const port = this.ports.outputs(source)[0];
      return port && port.kind !== "size" ? [{ source, sourcePort: port.name, target: "", targetPort: "" }] : [];
    });
  }

  private name(base: string): string {
    const id =
      idProblem(base, this.catalogue, this.taken) === ""
        ? base
        : freshId(base.replace(/\d+$/, ""), this.catalogue, this.taken);
    this.taken[id] = 1;
    return id;
  }

  /** Wires of the graph with the selection as the node `id`. */
  outer(id: string): Edge[] {
    const feeds = this.inputs
      .filter((i) => i.outer[0])
      .map((i): Edge => ({ source: i.outer[0], sourcePort: i.outer[1], target: id, targetPort: i.id }));
    const rest = this.graph.edges
      .filter((e) => !this.mine.has(e.target))
      .map((e) => {
        const end = this.outputs.find((o) => o.outer[0] === e.source && o.outer[1] === e.sourcePort);
        return end && this.mine.has(e.source) ? { ...e, source: id, sourcePort: end.id } : e;
      });
    return [...feeds, ...rest];
  }
}
