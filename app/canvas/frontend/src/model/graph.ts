/** The few edits of a graph, each returning a new graph (core/graph/edits.py). */

import type { GraphJson, NodeJson, Settings, Signature } from "../protocol";
import type { Catalogue } from "./catalogue";
import { incompatibility } from "./compatibility";
import type { Edge, Graph } from "./drawing";
import { blockOf, Ports } from "./ports";
import { before } from "./wires";

/** An edit that cannot be made; the message is for the student. */
export class Refused extends Error {}

export function fromWire(json: GraphJson & { inner?: boolean }, catalogue: Catalogue): Graph {
  const bare: Graph = { ...json, edges: [] };
  const ports = new Ports(catalogue, bare);
  const edges = json.edges.map((text) => ports.parse(text)).filter((e): e is Edge => e !== null);
  return { ...bare, edges };
}

export function toWire(graph: Graph, catalogue: Catalogue): GraphJson {
  const ports = new Ports(catalogue, graph);
  const { composites, inner: _, ...rest } = graph;
  const bare = composites && Object.keys(composites).length ? { composites: withoutPlaces(composites) } : {};
  return { ...rest, nodes: { ...graph.nodes }, edges: graph.edges.map((e) => ports.write(e)), ...bare };
}

/** Composites as the file has them; their places and notes travel with those of the drawing. */
function withoutPlaces(composites: NonNullable<Graph["composites"]>): NonNullable<Graph["composites"]> {
  return Object.fromEntries(
    Object.entries(composites).map(([name, { layout: _, notes: __, ...part }]) => [name, part]),
  );
}

const ENDS = ["Input", "Output"];

/** Whether a block is an end of its graph, where values enter or leave. */
export const isEnd = (node: NodeJson | undefined): boolean => ENDS.includes(node?.block ?? "");

export function edgeId(edge: Edge): string {
  return `${edge.source}.${edge.sourcePort} -> ${edge.target}.${edge.targetPort}`;
}

function withNodes(graph: Graph, items: Iterable<[string, NodeJson]>): Graph {
  return { ...graph, nodes: Object.fromEntries(items) };
}

/** Add a node right after another one, or at the end before the outputs. */
export function addNode(graph: Graph, id: string, node: NodeJson, after = ""): Graph {
  if (Object.hasOwn(graph.nodes, id)) throw new Refused(`${id} is already the id of another node.`);
  const items = Object.entries(graph.nodes);
  let index = items.findIndex(([name]) => name === after) + 1;
  if (!after) {
    const output = items.findIndex(([, n]) => n.block === "Output");
    index = output >= 0 && node.block !== "Output" ? output : items.length;
  }
  items.splice(index, 0, [id, node]);
  return withNodes(graph, items);
}

/** Take a node out, with its wires. Sharers of its weights get weights of their own. */
export function removeNode(graph: Graph, id: string): Graph {
  const gone = graph.nodes[id];
  if (!gone) throw new Refused(`${id} is not in the graph.`);
  let heir = "";
  const items: [string, NodeJson][] = [];
  for (const [name, node] of Object.entries(graph.nodes)) {
    if (name === id) continue;
    items.push([name, node.weights_of === id ? inherit(node, gone, heir) : node]);
    if (node.weights_of === id) heir ||= name;
  }
  const edges = graph.edges.filter((e) => e.source !== id && e.target !== id);
  return withNodes({ ...graph, edges }, items);
}

/** How the weights of a node learn. */
export type Marks = Pick<NodeJson, "frozen" | "lr_factor">;

export function marks({ frozen, lr_factor }: NodeJson): Marks {
  return { ...(frozen ? { frozen } : {}), ...(lr_factor === undefined ? {} : { lr_factor }) };
}

/** The node without them, as where its weights are another's: forward uses it, too. */
export function unmarked({ frozen: _, lr_factor: __, unused: ___, ...rest }: NodeJson): NodeJson {
  return rest;
}

/** Whether forward does not call a node: marked so, and nothing goes into it. */
export function isUnused(graph: Graph, id: string): boolean {
  return graph.nodes[id]?.unused === true && !graph.edges.some((e) => e.target === id);
}

/** Forward calls these nodes from now on. */
function asUsed(graph: Graph, ids: readonly string[]): Graph {
  return ids
    .filter((id) => graph.nodes[id]?.unused)
    .reduce((next, id) => {
      const { unused: _, ...node } = graph.nodes[id] as NodeJson;
      return setNode(next, id, node);
    }, graph);
}

function inherit(node: NodeJson, gone: NodeJson, heir: string): NodeJson {
  if (heir) return { ...node, weights_of: heir };
  const { weights_of: _, ...rest } = node;
  return { ...rest, block: gone.block, ...(gone.settings ? { settings: gone.settings } : {}), ...marks(gone) };
}

/** Which block a node is, its own or that of the node whose weights it uses. */
export function blockName(graph: Graph, id: string): string {
  return blockOf(graph.nodes[id], graph.nodes);
}

export function setNode(graph: Graph, id: string, node: NodeJson): Graph {
  if (!graph.nodes[id]) throw new Refused(`${id} is not in the graph.`);
  return { ...graph, nodes: { ...graph.nodes, [id]: node } };
}

/** Change settings; null takes a setting away, `literal` keeps null as torch's None. */
export function setSettings(graph: Graph, id: string, settings: Settings, literal = false): Graph {
  const node = graph.nodes[id];
  if (!node) throw new Refused(`${id} is not in the graph.`);
  const merged = { ...node.settings, ...settings };
  for (const [name, value] of Object.entries(settings)) {
    if (value === null && !literal) delete merged[name];
  }
  const { settings: _, ...rest } = node;
  const next = Object.keys(merged).length ? { ...node, settings: merged } : rest;
  return setNode(graph, id, next);
}

export function ancestors(graph: Graph, id: string): Set<string> {
  return before(graph.edges, id);
}

/**
 * Why a wire cannot be drawn, in words; "" when it can. A used port gets the new wire.
 * `signature`: what the analysis saw at its source, if that is known.
 */
export function connectProblem(
  graph: Graph,
  edge: Edge,
  ports: Ports,
  signature?: Signature,
  earlier = ancestors(graph, edge.source),
): string {
  const out = ports.outputs(edge.source).find((p) => p.name === edge.sourcePort);
  const into = ports.input(edge.target, edge.targetPort);
  if (!out) return `${edge.source} has no output ${edge.sourcePort}.`;
  if (!into) return `${edge.target} has no input ${edge.targetPort}.`;
  if (edge.source === edge.target) return `${edge.target} cannot feed itself.`;
  if (earlier.has(edge.target)) {
    return `${edge.source} already reads from ${edge.target}: this wire would close a loop.`;
  }
  const several = ports.inputs(edge.target).length > 1;
  return incompatibility(
    out,
    into,
    edge.source,
    several ? `${edge.target}.${edge.targetPort}` : edge.target,
    signature,
  );
}

/**
 * Add a wire; a wire already in that input port is replaced. A node that forward did not use is used
 * by a wire into it; one that has no inputs, such as a parameter, by a wire from it.
 */
export function connect(graph: Graph, edge: Edge, catalogue: Catalogue): Graph {
  const ports = new Ports(catalogue, graph);
  const reason = connectProblem(graph, edge, ports);
  if (reason) throw new Refused(reason);
  const loose = !graph.edges.some((e) => e.target === edge.target || e.source === edge.target);
  const edges = graph.edges.filter((e) => e.target !== edge.target || e.targetPort !== edge.targetPort);
  const used = ports.inputs(edge.source).length ? [edge.target] : [edge.source, edge.target];
  const wired = { ...asUsed(graph, used), edges: [...edges, edge] };
  return sortEdges(inOrder(loose ? moveAfter(wired, edge) : wired), catalogue);
}

export function disconnect(graph: Graph, gone: Edge): Graph {
  const id = edgeId(gone);
  const edges = graph.edges.filter((e) => edgeId(e) !== id);
  if (edges.length === graph.edges.length) {
    throw new Refused(`${gone.target} has no wire from ${gone.source}.`);
  }
  return { ...graph, edges };
}

/** A node that had no wire yet goes right after the node it now reads from. */
function moveAfter(graph: Graph, edge: Edge): Graph {
  const node = graph.nodes[edge.target] as NodeJson;
  if (node.block === "Output") return graph;
  const items = Object.entries(graph.nodes).filter(([name]) => name !== edge.target);
  items.splice(items.findIndex(([name]) => name === edge.source) + 1, 0, [edge.target, node]);
  return withNodes(graph, items);
}

/** Put nodes in the order of execution; the file's order stands where wires leave it open. */
export function inOrder(graph: Graph): Graph {
  const index = new Map(Object.keys(graph.nodes).map((name, i) => [name, i]));
  const back = graph.edges.some((e) => (index.get(e.source) ?? 0) > (index.get(e.target) ?? 0));
  if (!back) return graph;
  const done = new Set<string>();
  const sources = new Map<string, string[]>();
  for (const e of graph.edges) sources.set(e.target, [...(sources.get(e.target) ?? []), e.source]);
  const visit = (start: string) => {
    const work = [start];
    while (work.length) {
      const name = work[work.length - 1] as string;
      const next = sources.get(name)?.find((s) => !done.has(s) && index.has(s) && !work.includes(s));
      if (next !== undefined) work.push(next);
      else done.add(work.pop() as string);
    }
  };
  for (const name of index.keys()) if (!done.has(name)) visit(name);
  return withNodes(
    graph,
    [...done].map((name) => [name, graph.nodes[name] as NodeJson]),
  );
}

/** Wires in the order of their targets, then ports, as the file keeps them. */
export function sortEdges(graph: Graph, catalogue: Catalogue): Graph {
  const ports = new Ports(catalogue, graph);
  const order = new Map(Object.keys(graph.nodes).map((name, i) => [name, i]));
  const key = (e: Edge) => {
    const [head, index] = e.targetPort.split(".");
    const port = ports.inputs(e.target).findIndex((p) => p.name === head);
    return [order.get(e.target) ?? order.size, port < 0 ? 99 : port, Number(index ?? 0)];
  };
  const keyed = graph.edges.map((edge) => ({ edge, key: key(edge) }));
  keyed.sort((a, b) => a.key.reduce((d, v, i) => d || v - (b.key[i] as number), 0));
  return { ...graph, edges: keyed.map((k) => k.edge) };
}
