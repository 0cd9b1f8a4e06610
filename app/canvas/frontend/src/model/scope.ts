/** One composite opened: its graph as a drawing of its own, and put back into the whole drawing. */

import type { CompositeJson, Json, Layout, NodeJson } from "../protocol";
import type { Catalogue } from "./catalogue";
import type { Drawing, Edge, Graph } from "./drawing";
import * as g from "./graph";
import { readNotes } from "./notes";
import { blockOf, Ports } from "./ports";

/** Ids of the uses opened one inside the other; none is the whole network. */
export type Scope = readonly string[];
type Composites = Readonly<Record<string, CompositeJson>>;

export const compositesOf = (graph: Graph): Composites => graph.composites ?? {};

/** Name of the composite that a scope shows; "" for the whole network. */
export function opened(graph: Graph, scope: Scope): string {
  let nodes: Record<string, NodeJson> = graph.nodes;
  let name = "";
  for (const id of scope) {
    name = blockOf(nodes[id], nodes);
    nodes = compositesOf(graph)[name]?.nodes ?? {};
  }
  return name;
}

/** The longest beginning of a scope that still leads through uses of drawn composites. */
export function reachable(graph: Graph, scope: Scope): Scope {
  const drawn = (name: string) => Object.hasOwn(compositesOf(graph), name) && !compositesOf(graph)[name]?.python;
  const until = scope.findIndex((_, i) => !drawn(opened(graph, scope.slice(0, i + 1))));
  return until < 0 ? scope : scope.slice(0, until);
}

/** How the report writes the paths inside a scope: a repeated use counts from 0. */
export function pathOf(graph: Graph, scope: Scope): string {
  let nodes: Record<string, NodeJson> = graph.nodes;
  return scope
    .map((id) => {
      const node = nodes[id];
      nodes = compositesOf(graph)[blockOf(node, nodes)]?.nodes ?? {};
      return (node?.repeat ?? 1) > 1 ? `${id}.0.` : `${id}.`;
    })
    .join("");
}

/** The graph of a composite as a drawing. */
export function inside(whole: Drawing, name: string, catalogue: Catalogue): Drawing {
  const part = compositesOf(whole.graph)[name];
  if (!part) return whole;
  const { nodes, edges } = part;
  const { composites } = whole.graph;
  return {
    graph: g.fromWire({ nodes, edges, ...(composites ? { composites } : {}), inner: true }, catalogue),
    layout: part.layout ?? {},
    notes: part.notes ?? [],
  };
}

/** The whole drawing with the graph of a composite replaced; every use of it follows. */
export function embed(whole: Drawing, name: string, part: Drawing, catalogue: Catalogue): Drawing {
  const before = compositesOf(whole.graph);
  const old = before[name];
  if (!old) throw new g.Refused(`There is no composite ${name}.`);
  const { nodes, edges } = g.toWire(part.graph, catalogue);
  const next = {
    ...compositesOf(part.graph),
    [name]: { ...old, nodes, edges, layout: { ...part.layout }, notes: part.notes },
  };
  checkNesting(next);
  return follow(whole, next, name, old, catalogue);
}

function checkNesting(composites: Composites): void {
  for (const name of Object.keys(composites)) {
    if (usedBy(name, composites).has(name)) throw new g.Refused(`${name} cannot contain itself.`);
  }
}

/** All composites that stand in `name`, at any depth. */
export function usedBy(name: string, composites: Composites): Set<string> {
  const names = new Set<string>();
  const work = [name];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    for (const { block = "" } of Object.values(composites[next]?.nodes ?? {})) {
      if (Object.hasOwn(composites, block) && !names.has(block)) {
        names.add(block);
        work.push(block);
      }
    }
  }
  return names;
}

const ends = (part: CompositeJson | undefined, block: string): string[] =>
  Object.entries(part?.nodes ?? {})
    .filter(([, n]) => n.block === block)
    .map(([id]) => id);

/** A renamed end keeps its place among the ends; any other that is missing is gone. */
function renamed(before: string[], after: string[]): Map<string, string> {
  const gone = before.filter((id) => !after.includes(id)),
    come = after.filter((id) => !before.includes(id));
  const same =
    before.length === after.length &&
    gone.length === 1 &&
    come.length === 1 &&
    before.indexOf(gone[0] as string) === after.indexOf(come[0] as string);
  return new Map([...gone.map((id) => [id, same ? (come[0] as string) : ""] as const)]);
}

/** Wires to the ends of a changed composite, wherever it is used, follow its ends. */
function follow(
  whole: Drawing,
  composites: Composites,
  name: string,
  old: CompositeJson,
  catalogue: Catalogue,
): Drawing {
  const now = composites[name];
  const lists = (part: CompositeJson | undefined) => JSON.stringify([ends(part, "Input"), ends(part, "Output")]);
  const graph: Graph = { ...whole.graph, composites: { ...composites } };
  if (lists(old) === lists(now)) return { ...whole, graph };
  const into = renamed(ends(old, "Input"), ends(now, "Input"));
  const out = renamed(ends(old, "Output"), ends(now, "Output"));
  const swap = (edges: readonly Edge[], nodes: Record<string, NodeJson>) =>
    edges.flatMap((e) => {
      const source = blockOf(nodes[e.source], nodes) === name ? (out.get(e.sourcePort) ?? e.sourcePort) : e.sourcePort;
      const target = blockOf(nodes[e.target], nodes) === name ? (into.get(e.targetPort) ?? e.targetPort) : e.targetPort;
      const kept = (source || !e.sourcePort) && (target || !e.targetPort);
      return kept ? [{ ...e, sourcePort: source, targetPort: target }] : [];
    });
  const parts = Object.entries(composites).map(([other, part]): [string, CompositeJson] => {
    if (other === name || !Object.values(part.nodes).some((n) => n.block === name)) return [other, part];
    const read = new Ports(catalogue, { nodes: part.nodes, edges: [], composites: { ...composites, [name]: old } });
    const wires = part.edges.map((t) => read.parse(t)).filter((e): e is Edge => e !== null);
    const write = new Ports(catalogue, { nodes: part.nodes, edges: [], composites: { ...composites } });
    return [other, { ...part, edges: swap(wires, part.nodes).map((e) => write.write(e)) }];
  });
  const next = { ...graph, edges: swap(graph.edges, graph.nodes), composites: Object.fromEntries(parts) };
  return { ...whole, graph: g.sortEdges(next, catalogue) };
}

/** How often a composite is used, in the whole drawing. */
export function uses(graph: Graph, name: string): number {
  const all = [graph.nodes, ...Object.values(compositesOf(graph)).map((part) => part.nodes)];
  return all.reduce((sum, nodes) => sum + Object.values(nodes).filter((n) => n.block === name).length, 0);
}

/** Places of all nodes, those inside a composite as "Name.node", as the file keeps them. */
export function allPlaces({ graph, layout }: Drawing): Layout {
  const places: Layout = { ...layout };
  for (const [name, part] of Object.entries(compositesOf(graph))) {
    for (const [id, at] of Object.entries(part.layout ?? {})) {
      if (Object.hasOwn(part.nodes, id)) places[`${name}.${id}`] = at;
    }
  }
  return places;
}

/** A drawing from what the file keeps. */
export function withPlaces(graph: Graph, places: Layout, kept: readonly Json[] = []): Drawing {
  const layout: Layout = {};
  const inner: Record<string, Layout> = {};
  for (const [key, at] of Object.entries(places)) {
    const [name = "", id] = key.split(".");
    if (id === undefined) layout[name] = at;
    else (inner[name] ??= {})[id] = at;
  }
  const { notes, inner: innerNotes } = readNotes(kept, graph);
  if (!Object.keys(inner).length && !Object.keys(innerNotes).length) return { graph, layout, notes };
  const parts = Object.entries(compositesOf(graph)).map(([name, part]) => {
    const more = { ...(inner[name] && { layout: inner[name] }), ...(innerNotes[name] && { notes: innerNotes[name] }) };
    return [name, { ...part, ...more }] as const;
  });
  return { graph: { ...graph, composites: Object.fromEntries(parts) }, layout, notes };
}
