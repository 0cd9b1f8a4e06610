/** Blocks as text: what copy puts on the clipboard and paste reads, between projects too. */

import type { CompositeJson, GraphJson, Layout, NodeJson } from "../protocol";
import type { Catalogue } from "./catalogue";
import * as g from "./graph";
import type { Drawing } from "./graph";
import { equal } from "./equal";
import { freshName } from "./group";
import { freshId, idProblem } from "./names";
import { Ports } from "./ports";
import { usedBy } from "./scope";

const KEY = "layerloom_blocks";
const MOST_TEXT = 2_000_000;

export function copyText(drawing: Drawing, ids: readonly string[], catalogue: Catalogue): string {
  const chosen = new Set(ids);
  const nodes = Object.fromEntries(
    Object.entries(drawing.graph.nodes).filter(([name]) => chosen.has(name)),
  );
  const edges = drawing.graph.edges.filter((e) => chosen.has(e.source) && chosen.has(e.target));
  const { composites } = drawing.graph;
  const graph = g.toWire({ nodes, edges, ...(composites ? { composites } : {}) }, catalogue);
  const layout = Object.fromEntries(ids.map((id) => [id, drawing.layout[id] ?? [0, 0]]));
  return JSON.stringify({ [KEY]: 1, ...graph, layout }, null, 1);
}

interface Copied extends GraphJson {
  layout: Layout;
}

/** Read copied blocks from a text; null when it holds none. */
export function readCopied(text: string): Copied | null {
  if (text.length > MOST_TEXT || !text.includes(KEY)) return null;
  try {
    const found = JSON.parse(text) as Record<string, unknown>;
    const fits = found[KEY] === 1 && isPlain(found.nodes) && Array.isArray(found.edges);
    if (!fits || !Object.values(found.nodes as object).every(isPlain)) return null;
    if (!Object.values((found.composites ?? {}) as object).every(isPart)) return null;
    const edges = (found.edges as unknown[]).filter((e): e is string => typeof e === "string");
    const layout = isPlain(found.layout) ? (found.layout as Layout) : {};
    return { ...(found as unknown as Copied), edges, layout };
  } catch {
    return null;
  }
}

function isPart(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { nodes, edges } = value as Record<string, unknown>;
  const texts = Array.isArray(edges) && edges.every((e) => typeof e === "string");
  return texts && isPlain(nodes) && Object.values(nodes as object).every(isPlain);
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Pasted {
  drawing: Drawing;
  ids: string[];
}

/** Put copied blocks into a drawing, under fresh ids, moved by `by`. */
export function paste(
  drawing: Drawing, copied: Copied, by: [number, number], catalogue: Catalogue,
): Pasted {
  const names = new Map<string, string>();
  const layout: Layout = { ...drawing.layout };
  const taken = withComposites(drawing.graph, copied, catalogue);
  let { graph } = taken;
  for (const [old, node] of Object.entries(copied.nodes)) {
    const free = idProblem(old, catalogue, graph.nodes) === "";
    const name = free ? old : freshId(old.replace(/\d+$/, ""), catalogue, graph.nodes);
    names.set(old, name);
    graph = g.addNode(graph, name, called(reshared(node, names), taken.called));
    const [x, y] = copied.layout[old] ?? [0, 0];
    layout[name] = [(Number(x) || 0) + by[0], (Number(y) || 0) + by[1]];
  }
  const ports = new Ports(catalogue, { ...copied, edges: [] });
  for (const text of copied.edges) {
    const edge = ports.parse(text);
    const source = names.get(edge?.source ?? ""), target = names.get(edge?.target ?? "");
    if (!edge || !source || !target) continue;
    graph = { ...graph, edges: [...graph.edges, { ...edge, source, target }] };
  }
  return { drawing: { graph: g.sortEdges(graph, catalogue), layout }, ids: [...names.values()] };
}

/** Shared weights go to the pasted owner if it was copied too, else to the original. */
function reshared(node: NodeJson, names: Map<string, string>): NodeJson {
  const owner = node.weights_of && names.get(node.weights_of);
  return owner ? { ...node, weights_of: owner } : node;
}

function called(node: NodeJson, names: Map<string, string>): NodeJson {
  const name = names.get(node.block ?? "");
  return name ? { ...node, block: name } : node;
}

interface Taken {
  graph: g.Graph;
  called: Map<string, string>;
}

/** The composites that the copied blocks need; one of another definition gets a free name. */
function withComposites(graph: g.Graph, copied: Copied, catalogue: Catalogue): Taken {
  const theirs = copied.composites ?? {}, ours = bare(graph, catalogue);
  const direct = Object.values(copied.nodes).map((n) => n.block ?? "").filter((b) => Object.hasOwn(theirs, b));
  const needed = new Set(direct.flatMap((name) => [name, ...usedBy(name, theirs)]));
  const names = new Map<string, string>();
  let next = graph;
  for (const name of needed) {
    const same = Object.hasOwn(ours, name) && equal(ours[name], theirs[name]);
    if (same) continue;
    const free = Object.hasOwn(next.composites ?? {}, name) ? freshName(name, next, catalogue) : name;
    names.set(name, free);
    next = { ...next, composites: { ...next.composites, [free]: theirs[name] as CompositeJson } };
  }
  const parts = Object.entries(next.composites ?? {}).map(([name, part]) => {
    if (Object.hasOwn(graph.composites ?? {}, name)) return [name, part] as const;
    const nodes = Object.entries(part.nodes).map(([id, n]) => [id, called(n, names)] as const);
    return [name, { ...part, nodes: Object.fromEntries(nodes) }] as const;
  });
  return { graph: parts.length ? { ...next, composites: Object.fromEntries(parts) } : next, called: names };
}

function bare(graph: g.Graph, catalogue: Catalogue): Record<string, CompositeJson> {
  return g.toWire({ ...graph, nodes: {}, edges: [] }, catalogue).composites ?? {};
}
