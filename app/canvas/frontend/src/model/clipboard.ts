/** Blocks as text: what copy puts on the clipboard and paste reads, between projects too. */

import type { CompositeJson, Layout, NodeJson, Note, Settings } from "../protocol";
import type { Catalogue } from "./catalogue";
import { type ClipboardBlocks, KEY } from "./clipboardFormat";
import type { Drawing, Edge, Graph } from "./drawing";
import { equal } from "./equal";
import { evaluate, namesIn, Unreadable } from "./expression";
import * as g from "./graph";
import { freshName } from "./group";
import { freshId, idProblem } from "./names";
import { freshNoteId, notePlace } from "./notes";
import { Ports } from "./ports";
import { compositesOf, usedBy } from "./scope";

/** Blocks and notes as text, with the composites they use; `env` are the settings they may name. */
export function copyText(
  drawing: Drawing,
  ids: readonly string[],
  notes: ReadonlySet<string>,
  env: Settings,
  catalogue: Catalogue,
): string {
  const chosen = new Set(ids);
  const nodes = Object.fromEntries(Object.entries(drawing.graph.nodes).filter(([name]) => chosen.has(name)));
  const edges = drawing.graph.edges.filter((e) => chosen.has(e.source) && chosen.has(e.target));
  const all = compositesOf(drawing.graph);
  const needed = neededBy(nodes, all);
  const parts =
    g.toWire({ nodes: {}, edges: [], composites: all as Record<string, CompositeJson> }, catalogue).composites ?? {};
  const composites = Object.fromEntries(
    Object.entries(parts)
      .filter(([name]) => needed.has(name))
      .map(([name, part]) => [name, { ...part, ...(all[name]?.layout ? { layout: all[name].layout } : {}) }]),
  );
  const written = g.toWire(
    { nodes, edges, ...(drawing.graph.composites ? { composites: drawing.graph.composites } : {}) },
    catalogue,
  );
  const layout = Object.fromEntries(ids.map((id) => [id, drawing.layout[id] ?? [0, 0]]));
  const mine = drawing.notes.flatMap(({ id, ...n }) => {
    if (n.node && chosen.has(n.node)) return [n];
    const { node: _, ...free } = n;
    return notes.has(id) ? [{ ...free, at: notePlace({ id, ...n }, drawing.layout) }] : [];
  });
  const used = new Set(Object.values(nodes).flatMap((n) => Object.values(n.settings ?? {}).flatMap(namesIn)));
  const settings = Object.fromEntries(Object.entries(env).filter(([name]) => used.has(name)));
  return JSON.stringify(
    {
      [KEY]: 1,
      nodes: written.nodes,
      edges: written.edges,
      layout,
      ...(needed.size ? { composites } : {}),
      ...(mine.length ? { notes: mine } : {}),
      ...(used.size ? { settings } : {}),
    },
    null,
    1,
  );
}

function neededBy(
  nodes: Readonly<Record<string, NodeJson>>,
  composites: Readonly<Record<string, CompositeJson>>,
): Set<string> {
  const direct = Object.values(nodes)
    .map((n) => n.block ?? "")
    .filter((b) => Object.hasOwn(composites, b));
  return new Set(direct.flatMap((name) => [name, ...usedBy(name, composites)]));
}

export interface Pasted {
  drawing: Drawing;
  ids: string[];
  notes: string[];
}

/** Put copied blocks into a drawing, under fresh ids, moved by `by`; null for `env` is the network. */
export function paste(
  drawing: Drawing,
  copied: ClipboardBlocks,
  by: [number, number],
  env: Settings | null,
  catalogue: Catalogue,
): Pasted {
  const names = new Map<string, string>();
  const layout: Layout = { ...drawing.layout };
  const taken = withComposites(drawing.graph, copied, catalogue);
  let { graph } = taken;
  for (const old of Object.keys(copied.nodes)) {
    const others = { ...graph.nodes, ...Object.fromEntries([...names.values()].map((n) => [n, 1])) };
    const free = idProblem(old, catalogue, others) === "";
    names.set(old, free ? old : freshId(old.replace(/\d+$/, ""), catalogue, others));
  }
  for (const [old, node] of Object.entries(copied.nodes)) {
    const name = names.get(old) as string;
    graph = g.addNode(graph, name, settled(called(reshared(node, names, graph), taken.called), copied, env, catalogue));
    const [x, y] = (Object.hasOwn(copied.layout, old) ? copied.layout[old] : undefined) ?? [0, 0];
    layout[name] = [x + by[0], y + by[1]];
  }
  const ports = new Ports(catalogue, { ...copied, edges: [] });
  for (const text of copied.edges) {
    const edge = ports.parse(text);
    const source = names.get(edge?.source ?? ""),
      target = names.get(edge?.target ?? "");
    if (!edge || !source || !target) throw new g.Refused(`${text.slice(0, 60)} leads to a block that was not copied.`);
    graph = wired(graph, { ...edge, source, target }, catalogue);
  }
  const notes: Note[] = [...drawing.notes];
  for (const { node, at, ...note } of copied.notes) {
    const id = freshNoteId(notes),
      owner = node === undefined ? undefined : names.get(node);
    notes.push(owner ? { ...note, id, node: owner, at } : { ...note, id, at: [at[0] + by[0], at[1] + by[1]] });
  }
  const added = notes.slice(drawing.notes.length).map((n) => n.id);
  return { drawing: { graph: g.sortEdges(graph, catalogue), layout, notes }, ids: [...names.values()], notes: added };
}

/** Wires of a block that this version does not know are taken as they are, as from a file. */
function wired(graph: Graph, edge: Edge, catalogue: Catalogue): Graph {
  const known = [edge.source, edge.target]
    .map((id) => g.blockName(graph, id))
    .every((block) => catalogue.block(block) || Object.hasOwn(graph.composites ?? {}, block));
  return known ? g.connect(graph, edge, catalogue) : { ...graph, edges: [...graph.edges, edge] };
}

/** Shared weights go to the pasted owner if it was copied too, else to the original, if it is here. */
function reshared(node: NodeJson, names: Map<string, string>, graph: Graph): NodeJson {
  if (!node.weights_of) return node;
  const owner = names.get(node.weights_of) ?? (Object.hasOwn(graph.nodes, node.weights_of) ? node.weights_of : "");
  if (!owner)
    throw new g.Refused(
      `A copied block shares the weights of ${node.weights_of.slice(0, 40)}, which was not copied with it.`,
    );
  return { ...node, weights_of: owner };
}

function called(node: NodeJson, names: Map<string, string>): NodeJson {
  const name = names.get(node.block ?? "");
  return name ? { ...node, block: name } : node;
}

/** Expressions over settings that are not known here become their values; an Input fits its place. */
function settled(node: NodeJson, copied: ClipboardBlocks, env: Settings | null, catalogue: Catalogue): NodeJson {
  if (node.block === "Input") {
    const { settings: given, ...rest } = node;
    if (env) return rest;
    return given?.shape === undefined ? { ...rest, settings: { ...catalogue.start("Input"), ...given } } : node;
  }
  if (!node.settings) return node;
  try {
    const settings = Object.entries(node.settings).map(([key, value]) => {
      const here = namesIn(value).every((name) => env && Object.hasOwn(env, name));
      return [key, here ? value : evaluate(value, copied.settings)] as const;
    });
    return { ...node, settings: Object.fromEntries(settings) };
  } catch (error) {
    if (error instanceof Unreadable) throw new g.Refused(`A copied setting cannot be read: ${error.message}`);
    throw error;
  }
}

/** The graph with a composite that is ready to use, and those inside of it. */
export function withPart(graph: Graph, name: string, catalogue: Catalogue): Graph {
  const composites = catalogue.json.parts?.composites ?? {};
  return withComposites(graph, { nodes: { part: { block: name } }, composites }, catalogue).graph;
}

interface Taken {
  graph: Graph;
  called: Map<string, string>;
}

/** The composites that the copied blocks need; one of another definition gets a free name. */
function withComposites(
  graph: Graph,
  copied: Pick<ClipboardBlocks, "nodes" | "composites">,
  catalogue: Catalogue,
): Taken {
  const theirs = copied.composites ?? {},
    ours = bare(graph.composites ?? {}, catalogue);
  const plain = bare(theirs, catalogue);
  const names = new Map<string, string>();
  let next = graph;
  for (const name of neededBy(copied.nodes, theirs)) {
    if (Object.hasOwn(ours, name) && equal(ours[name], plain[name])) continue;
    const clash = Object.hasOwn(next.composites ?? {}, name) || catalogue.block(name) || catalogue.taken(name);
    const free = clash ? freshName(name, next, catalogue) : name;
    names.set(name, free);
    next = {
      ...next,
      composites: { ...next.composites, [free]: renamedCode(theirs[name] as CompositeJson, name, free) },
    };
  }
  const parts = Object.entries(next.composites ?? {}).map(([name, part]) => {
    if (Object.hasOwn(graph.composites ?? {}, name)) return [name, part] as const;
    const nodes = Object.entries(part.nodes).map(([id, n]) => [id, called(n, names)] as const);
    return [name, { ...part, nodes: Object.fromEntries(nodes) }] as const;
  });
  return { graph: parts.length ? { ...next, composites: Object.fromEntries(parts) } : next, called: names };
}

/** A custom block is called as its class is: under another name, its lines say that name. */
function renamedCode(part: CompositeJson, from: string, to: string): CompositeJson {
  if (!part.python || from === to) return part;
  const word = new RegExp(`(?<![\\w.])${from}(?!\\w)`, "g");
  return { ...part, python: part.python.map((line) => line.replace(word, to)) };
}

/** Composites without what they have in the browser only. */
function bare(composites: Record<string, CompositeJson>, catalogue: Catalogue): Record<string, CompositeJson> {
  return g.toWire({ nodes: {}, edges: [], composites }, catalogue).composites ?? {};
}
