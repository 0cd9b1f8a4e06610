/** Blocks as text: what copy puts on the clipboard and paste reads, between projects too. */

import type { GraphJson, Layout, NodeJson } from "../protocol";
import type { Catalogue } from "./catalogue";
import * as g from "./graph";
import type { Drawing } from "./graph";
import { freshId, idProblem } from "./names";
import { Ports } from "./ports";

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
    const edges = (found.edges as unknown[]).filter((e): e is string => typeof e === "string");
    const layout = isPlain(found.layout) ? (found.layout as Layout) : {};
    return { ...(found as unknown as Copied), edges, layout };
  } catch {
    return null;
  }
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
  let graph = withComposites(drawing.graph, copied);
  for (const [old, node] of Object.entries(copied.nodes)) {
    const free = idProblem(old, catalogue, graph.nodes) === "";
    const name = free ? old : freshId(old.replace(/\d+$/, ""), catalogue, graph.nodes);
    names.set(old, name);
    graph = g.addNode(graph, name, reshared(node, names));
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

function withComposites(graph: g.Graph, copied: Copied): g.Graph {
  const used = Object.values(copied.nodes).map((n) => n.block ?? "");
  const missing = Object.entries(copied.composites ?? {}).filter(
    ([name]) => used.includes(name) && !Object.hasOwn(graph.composites ?? {}, name),
  );
  if (!missing.length) return graph;
  return { ...graph, composites: { ...graph.composites, ...Object.fromEntries(missing) } };
}
