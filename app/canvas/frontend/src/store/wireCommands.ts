/** Verbs that draw with a wire: a block at its loose end, a residual, another block in a place. */

import { search } from "../model/catalogue";
import { incompatibility } from "../model/compatibility";
import { producers, feedingOutput, acceptingInput, consumers } from "../model/compatibleBlocks";
import type { Edge, Graph } from "../model/drawing";
import { insertOnEdge, replaceBlock } from "../model/edits";
import * as g from "../model/graph";
import { Ports } from "../model/ports";
import { usedBy } from "../model/scope";
import type { NodeJson, PortSpec } from "../protocol";
import { openName } from "./compositeCommands";
import type { Editor } from "./editor";
import { fresh, roomy, shown } from "./insertCommands";
import type { Into } from "./slices/ui";
import { signatureAt } from "./wireChecks";

type Point = readonly [number, number];

/** Composites that may stand where the canvas is now. */
export function ownBlocks(editor: Editor): string[] {
  const composites = editor.state.drawing.graph.composites ?? {};
  const here = openName(editor);
  return Object.keys(composites).filter((name) => name !== here && !(here && usedBy(name, composites).has(here)));
}

/** Blocks for any place: own ones and those for beginners first, before anything is searched for. */
export function blocksAnywhere(editor: Editor, query: string): string[] {
  const { catalogue } = editor.state;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const own = ownBlocks(editor).filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  const found = search(catalogue, query);
  const usual = words.length ? [] : catalogue.beginners;
  return [...own, ...usual, ...found.filter((name) => !usual.includes(name))];
}

const TENSOR: PortSpec = { name: "output", kind: "tensor" };

function outputOf(editor: Editor, source: string, port: string): PortSpec {
  return (
    editor
      .ports()
      .outputs(source)
      .find((p) => p.name === port) ?? TENSOR
  );
}

/** Blocks that can take what leaves an output. */
export function blocksTaking(editor: Editor, source: string, port: string, query: string): string[] {
  const { drawing, catalogue } = editor.state;
  return consumers(
    outputOf(editor, source, port),
    signatureAt(editor, source, port),
    query,
    drawing.graph,
    catalogue,
    ownBlocks(editor),
  );
}

/** What is put between most often: tokens into vectors, another dtype, more or fewer dimensions. */
const BETWEEN = ["Embedding", "to", "flatten", "unsqueeze", "unflatten", "reshape", "permute", "mean"];

/** Blocks to put between an output and a port that cannot take it as it is; the likely ones first. */
export function blocksBetween(editor: Editor, source: string, port: string, query: string): string[] {
  const { catalogue } = editor.state;
  const gives = (name: string) => catalogue.block(name)?.outputs.length !== 0;
  const names = blocksTaking(editor, source, port, query).filter(gives);
  const likely = BETWEEN.filter((name) => names.includes(name));
  return query.trim() ? names : [...likely, ...names.filter((name) => !likely.includes(name))];
}

/** Put a block at the loose end of a wire, wired to it, and on into the port that was meant. */
export function addWired(editor: Editor, block: string, source: string, port: string, at: Point, into?: Into): void {
  const {
    catalogue,
    drawing: { layout },
  } = editor.state;
  const [id, node] = fresh(editor, block);
  const done = editor.attempt((d) => {
    const targetPort = acceptingInput(
      outputOf(editor, source, port),
      block,
      d.graph,
      catalogue,
      signatureAt(editor, source, port),
    );
    if (targetPort === undefined) throw new g.Refused(`${block} cannot take the output of ${source}.`);
    const graph = g.addNode(d.graph, id, node);
    const wired = g.connect(graph, { source, sourcePort: port, target: id, targetPort }, catalogue);
    const next = { ...d, graph: wired, layout: { ...d.layout, [id]: [at[0], at[1]] as [number, number] } };
    if (!into) return next;
    const on = {
      source: id,
      sourcePort: new Ports(catalogue, wired).firstOutput(id),
      target: into.target,
      targetPort: into.targetPort,
    };
    return roomy(d, { ...next, graph: g.connect(wired, on, catalogue) }, editor);
  });
  if (done) shown(editor, id, layout);
}

/** The output of a block that a port can take; "" when there is none. */
export function outputFor(editor: Editor, source: string, target: string, targetPort: string): string {
  const { graph } = editor.state.drawing;
  const ports = editor.ports(),
    into = ports.input(target, targetPort);
  const out =
    into &&
    ports.outputs(source).find((p) => incompatibility(p, into, "", "", signatureAt(editor, source, p.name)) === "");
  return out && !g.ancestors(graph, source).has(target) ? out.name : "";
}

/** Blocks that can feed a port; where it has a wire, only those that can also take what comes on it. */
export function blocksFeeding(editor: Editor, target: string, port: string, query: string): string[] {
  const {
    drawing: { graph },
    catalogue,
  } = editor.state;
  const into = editor.ports().input(target, port);
  if (!into) return [];
  const wire = wireInto(graph, target, port);
  const names = producers(into, query, graph, catalogue, ownBlocks(editor));
  if (!wire) return names;
  const out = outputOf(editor, wire.source, wire.sourcePort),
    signature = signatureAt(editor, wire.source, wire.sourcePort);
  return names.filter((name) => acceptingInput(out, name, graph, catalogue, signature) !== undefined);
}

const wireInto = (graph: Graph, target: string, port: string): Edge | undefined =>
  graph.edges.find((e) => e.target === target && e.targetPort === port);

/** Put a block in front of a port: on the wire into it, or at the loose end of one drawn backwards. */
export function addInFront(editor: Editor, block: string, target: string, port: string, at: Point): void {
  const {
    catalogue,
    drawing: { layout },
  } = editor.state;
  const [id, node] = fresh(editor, block);
  const done = editor.attempt((d) => {
    const placed = { ...d, layout: { ...d.layout, [id]: [at[0], at[1]] as [number, number] } };
    const wire = wireInto(d.graph, target, port);
    if (wire) return roomy(d, insertOnEdge(placed, id, node, wire, catalogue), editor);
    const into = editor.ports().input(target, port);
    const sourcePort = into && feedingOutput(into, block, d.graph, catalogue);
    if (sourcePort === undefined) throw new g.Refused(`${block} cannot feed ${target}.${port}.`);
    const graph = g.addNode(d.graph, id, node);
    return { ...placed, graph: g.connect(graph, { source: id, sourcePort, target, targetPort: port }, catalogue) };
  });
  if (done) shown(editor, id, layout);
}

/** The wire into a later block, beside which a wire from `source` can be added; null if none. */
export function residualWire(editor: Editor, source: string, port: string, target: string): Edge | null {
  const { graph } = editor.state.drawing;
  const kind = editor
    .ports()
    .outputs(source)
    .find((p) => p.name === port)?.kind;
  const wire = graph.edges.find((e) => e.target === target);
  const into = wire && editor.ports().input(target, wire.targetPort);
  if (!wire || kind === "size" || into?.kind !== "tensor" || (wire.source === source && wire.sourcePort === port))
    return null;
  return g.ancestors(graph, source).has(target) || source === target ? null : wire;
}

/** A residual in one move: what enters `target` is added to what leaves `source`. */
export function addResidual(editor: Editor, source: string, port: string, target: string): void {
  const wire = residualWire(editor, source, port, target);
  const {
    catalogue,
    drawing: { layout },
  } = editor.state;
  if (!wire) return;
  const [id, node] = fresh(editor, "add");
  const done = editor.attempt((d) => {
    const before = g.addNode(g.disconnect(d.graph, wire), id, node, wire.source);
    const wires: Edge[] = [
      { ...wire, target: id, targetPort: "input" },
      { source, sourcePort: port, target: id, targetPort: "other" },
      { ...wire, source: id, sourcePort: "output" },
    ];
    const graph = wires.reduce((all, e) => g.connect(all, e, catalogue), before);
    const a = d.layout[wire.source] ?? [0, 0],
      b = d.layout[target] ?? [0, 0];
    const at: [number, number] = [Math.round((a[0] + b[0]) / 2), Math.round((a[1] + b[1]) / 2 / 8) * 8];
    return roomy(d, { ...d, graph, layout: { ...d.layout, [id]: at } }, editor);
  });
  if (!done) return;
  shown(editor, id, layout);
  editor.notify(`${source} is added in ${id}. Where the shapes differ, ${id} offers a projection.`);
}

/** Blocks that may stand in the place of a node: with an input and an output where it has wires. */
export function substitutes(editor: Editor, id: string, query: string): string[] {
  const { drawing, catalogue } = editor.state;
  const { edges } = drawing.graph;
  const fed = edges.some((e) => e.target === id),
    read = edges.some((e) => e.source === id);
  const now = g.blockName(drawing.graph, id);
  return consumers(TENSOR, undefined, query, drawing.graph, catalogue, ownBlocks(editor))
    .concat(fed ? [] : ["Input"])
    .filter((name) => {
      const outs = catalogue.block(name)?.outputs.length ?? 1;
      return name !== now && (!read || outs > 0);
    });
}

/** Make a node another block. Wires go to its ports of the same name, else of the same place. */
export function replaceNode(editor: Editor, id: string, block: string): void {
  const { catalogue } = editor.state;
  editor.attempt((d) => {
    const old = new Ports(catalogue, d.graph);
    const specs = new Set(catalogue.block(block)?.settings.map((s) => s.name));
    const own = Object.entries(d.graph.nodes[id]?.settings ?? {}).filter(([name]) => specs.has(name));
    const settings = { ...fresh(editor, block)[1].settings, ...Object.fromEntries(own) };
    const node: NodeJson = { block, ...(Object.keys(settings).length ? { settings } : {}) };
    const trial = g.setNode(d.graph, id, node);
    const now = new Ports(catalogue, trial);
    const edges = d.graph.edges.map((e) => ({
      ...e,
      targetPort: e.target === id ? moved(e.targetPort, old.inputs(id), now.inputs(id)) : e.targetPort,
      sourcePort: e.source === id ? moved(e.sourcePort, old.outputs(id), now.outputs(id)) : e.sourcePort,
    }));
    const graph = replaceBlock({ ...d.graph, edges }, id, node, catalogue);
    return { ...d, graph: g.sortEdges(graph, catalogue) };
  });
}

type PortList = ReturnType<Ports["inputs"]>;

function moved(name: string, before: PortList, after: PortList): string {
  const [head, index] = name.split(".");
  if (index === undefined && after.some((p) => p.name === name && p.kind !== "tensors")) return name;
  const position = index === undefined ? before.findIndex((p) => p.name === head) : Number(index);
  const list = after.find((p) => p.kind === "tensors");
  if (list) return `${list.name}.${position}`;
  return after[position]?.name ?? name;
}
