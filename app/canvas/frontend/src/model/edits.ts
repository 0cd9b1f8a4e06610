/** Larger edits of a drawing, built from the few of graph.ts: fixes, paste, insert, rename. */

import type { Edit, Json, NodeJson, PlacedEdit, Settings } from "../protocol";
import type { Catalogue } from "./catalogue";
import type { Drawing, Edge, Graph } from "./drawing";
import * as g from "./graph";
import { idProblem } from "./names";
import { renamedBlock, withoutBlocks } from "./notes";
import { Ports } from "./ports";
import { embed, inside } from "./scope";

/** Carry out absolute edits, as offered by fixes. Throws Refused; then nothing is changed. */
export function applyEdits(drawing: Drawing, edits: readonly PlacedEdit[], catalogue: Catalogue): Drawing {
  return edits.reduce((whole, edit) => {
    if (!edit.composite) return applyOne(whole, edit, catalogue);
    const part = applyOne(inside(whole, edit.composite, catalogue), edit, catalogue);
    return embed(whole, edit.composite, part, catalogue);
  }, drawing);
}

const fresh = (edit: { block: string; settings?: Settings }): NodeJson => ({
  block: edit.block,
  ...(edit.settings && Object.keys(edit.settings).length ? { settings: edit.settings } : {}),
});

function applyOne(drawing: Drawing, edit: Edit, catalogue: Catalogue): Drawing {
  const { graph } = drawing;
  const ports = new Ports(catalogue, graph);
  const wire = (text: string): Edge => {
    const edge = ports.parse(text);
    if (!edge) throw new g.Refused(`${text} is not a wire.`);
    return edge;
  };
  switch (edit.op) {
    case "set":
      return { ...drawing, graph: g.setSettings(graph, edit.node, edit.settings) };
    case "add":
      return { ...drawing, graph: g.addNode(graph, edit.id, fresh(edit)) };
    case "remove":
      return removeNodes(drawing, [edit.node]);
    case "insert": {
      const port = edit.port || ports.firstInput(edit.target);
      const old = graph.edges.find((e) => e.target === edit.target && e.targetPort === port);
      if (!old) throw new g.Refused(`${edit.target} has no wire into ${port}.`);
      return insertOnEdge(drawing, edit.id, fresh(edit), old, catalogue);
    }
    case "connect":
      return { ...drawing, graph: g.connect(graph, wire(edit.edge), catalogue) };
    case "disconnect":
      return { ...drawing, graph: g.disconnect(graph, wire(edit.edge)) };
    case "rename":
      return rename(drawing, edit.node, edit.to, catalogue);
    case "replace":
      return { ...drawing, graph: replaceBlock(graph, edit.node, fresh(edit), catalogue) };
    case "share":
      return { ...drawing, graph: shareWeights(graph, edit.node, edit.with, catalogue) };
    case "learn": {
      const node = graph.nodes[edit.node];
      if (node?.weights_of)
        throw new g.Refused(`${edit.node} uses the weights of ${node.weights_of}: change it there.`);
      const marked = edit.frozen === undefined ? graph : setKey(graph, edit.node, "frozen", edit.frozen);
      return {
        ...drawing,
        graph: edit.lr_factor === undefined ? marked : setKey(marked, edit.node, "lr_factor", edit.lr_factor),
      };
    }
    case "repeat":
      return { ...drawing, graph: setKey(graph, edit.node, "repeat", edit.times) };
    default:
      throw new g.Refused(`This version cannot carry out ${(edit as { op: string }).op}.`);
  }
}

export function removeNodes(drawing: Drawing, ids: readonly string[]): Drawing {
  const graph = ids.reduce(g.removeNode, drawing.graph);
  const layout = { ...drawing.layout };
  for (const id of ids) delete layout[id];
  return { graph, layout, notes: withoutBlocks(drawing.notes, new Set(ids)) };
}

/** Put a new node on a wire: its first input and first output. */
export function insertOnEdge(drawing: Drawing, id: string, node: NodeJson, old: Edge, catalogue: Catalogue): Drawing {
  const graph = g.addNode(g.disconnect(drawing.graph, old), id, node, old.source);
  const ports = new Ports(catalogue, graph);
  const into = { ...old, target: id, targetPort: ports.firstInput(id) };
  const out = { ...old, source: id, sourcePort: ports.firstOutput(id) };
  const wired = g.connect(g.connect(graph, into, catalogue), out, catalogue);
  return { ...drawing, graph: wired, layout: spread(drawing.layout, id, old) };
}

/** Place an inserted node between the ends of its wire. */
function spread(layout: Drawing["layout"], id: string, edge: Edge): Drawing["layout"] {
  const a = layout[edge.source],
    b = layout[edge.target];
  if (layout[id] || !a || !b) return layout;
  const dx = b[0] - a[0],
    dy = b[1] - a[1];
  return { ...layout, [id]: [Math.round(a[0] + dx / 2), Math.round(a[1] + dy / 2)] };
}

/** Give a node another id, in its wires and sharers too. Throws Refused with the reason. */
export function rename(drawing: Drawing, id: string, to: string, catalogue: Catalogue): Drawing {
  if (id === to) return drawing;
  const reason = idProblem(to, catalogue, drawing.graph.nodes);
  if (reason) throw new g.Refused(reason);
  const swap = (old: string) => (old === id ? to : old);
  const nodes = Object.entries(drawing.graph.nodes).map(([name, node]): [string, NodeJson] => [
    swap(name),
    node.weights_of === id ? { ...node, weights_of: to } : node,
  ]);
  const edges = drawing.graph.edges.map((e) => ({ ...e, source: swap(e.source), target: swap(e.target) }));
  const places = Object.entries(drawing.layout).map(([name, at]) => [swap(name), at]);
  const graph = { ...drawing.graph, nodes: Object.fromEntries(nodes), edges };
  return { graph, layout: Object.fromEntries(places), notes: renamedBlock(drawing.notes, id, to) };
}

/** Make a node another block, with weights of its own; wires to ports it lacks are dropped. */
export function replaceBlock(graph: Graph, id: string, node: NodeJson, catalogue: Catalogue): Graph {
  const { settings: _, block: __, weights_of: ___, ...kept } = graph.nodes[id] ?? {};
  return keptWires(g.setNode(graph, id, { ...node, ...kept }), id, catalogue);
}

/** Let a node use the weights, and so the block and settings, of another one. */
function shareWeights(graph: Graph, id: string, owner: string, catalogue: Catalogue): Graph {
  const { settings: _, block: __, ...kept } = graph.nodes[id] ?? {};
  const of = graph.nodes[owner];
  if (!of || of.weights_of || owner === id)
    throw new g.Refused(`${owner} owns no weights that another node could use.`);
  return keptWires(g.setNode(graph, id, { ...g.unmarked(kept), weights_of: owner }), id, catalogue);
}

/** Drop the wires of a node to ports it lacks; those of a block unknown so far have no name. */
function keptWires(graph: Graph, id: string, catalogue: Catalogue): Graph {
  const ports = new Ports(catalogue, graph);
  const named = graph.edges.map((e) => ({
    ...e,
    ...(e.target === id && !e.targetPort ? { targetPort: ports.firstInput(id) } : {}),
    ...(e.source === id && !e.sourcePort ? { sourcePort: ports.firstOutput(id) } : {}),
  }));
  const edges = named.filter(
    (e) =>
      (e.target !== id || ports.input(id, e.targetPort)) &&
      (e.source !== id || ports.outputs(id).some((p) => p.name === e.sourcePort)),
  );
  return { ...graph, edges };
}

/** Change or take away a key of a node beside its settings. */
export function setKey(graph: Graph, id: string, key: "label" | "repeat" | "frozen" | "lr_factor", value: Json): Graph {
  const { [key]: _, ...rest } = graph.nodes[id] ?? {};
  const bare = value === "" || value === null || value === false || (key !== "label" && value === 1);
  return g.setNode(graph, id, bare ? rest : { ...rest, [key]: value });
}
