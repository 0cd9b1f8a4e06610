/** The verbs that put a block into the drawing, on a wire or beside it; each is one undo step. */

import { startsOf } from "../model/catalogue";
import { withPart } from "../model/clipboard";
import type { Drawing, Edge, Graph } from "../model/drawing";
import { insertOnEdge } from "../model/edits";
import type { Direction } from "../model/geometry";
import * as g from "../model/graph";
import { freePlace, tidy } from "../model/layout";
import { freshId, stem } from "../model/names";
import { Ports } from "../model/ports";
import { placeOnWire, pushApart } from "../model/pushApart";
import { type Extras, NO_EXTRAS } from "../model/typed";
import type { FirstInput, Layout, NodeJson, Settings } from "../protocol";
import { equal } from "./annotations";
import type { Editor } from "./editor";

type Point = readonly [number, number];

/** Settings of a block fresh from the palette. */
function startOf(editor: Editor, block: string): Settings {
  const custom = editor.state.drawing.graph.composites?.[block]?.read;
  return custom ? startsOf(custom.settings) : editor.state.catalogue.start(block);
}

/** The Input that receives the chosen data, as long as the network has none. */
export function firstInputOf({ state: { firstInput, drawing, scope } }: Editor): FirstInput | null {
  const hasOne = Object.values(drawing.graph.nodes).some(({ block }) => block === "Input");
  return scope.length || hasOne ? null : firstInput;
}

/** A node fresh from the palette, and a free id for it. */
export function fresh(editor: Editor, block: string): [string, NodeJson] {
  const { catalogue, drawing } = editor.state;
  const first = block === "Input" ? firstInputOf(editor) : null;
  if (first) {
    const free = Object.hasOwn(drawing.graph.nodes, first.name)
      ? freshId(first.name, catalogue, drawing.graph.nodes)
      : first.name;
    return [free, { block, settings: first.settings }];
  }
  const inner = block === "Input" && editor.state.scope.length > 0;
  const settings = inner ? {} : startOf(editor, block);
  const id = freshId(stem(block, catalogue), catalogue, drawing.graph.nodes);
  return [id, { block, ...(Object.keys(settings).length ? { settings } : {}) }];
}

/** Whether a block of this name can be added: of the catalogue, of the project, or ready to be brought in. */
export function isKnown({ state: { catalogue, drawing } }: Editor, block: string): boolean {
  const own = Object.hasOwn(drawing.graph.composites ?? {}, block);
  return own || Boolean(catalogue.block(block) || catalogue.part(block));
}

/** Bring in a composite that is ready to use, if this is one; an edit merged with it is the same undo step. */
function bring(editor: Editor, block: string): string {
  const { catalogue, drawing } = editor.state;
  if (!catalogue.part(block) || Object.hasOwn(drawing.graph.composites ?? {}, block)) return "";
  const merge = `bring ${block}`;
  editor.attempt((d) => ({ ...d, graph: withPart(d.graph, block, catalogue) }), "now", merge);
  return merge;
}

/** Put a block at a place, wired to nothing; the first of a drawing stands as well anywhere. */
export function addAt(editor: Editor, block: string, at: Point): string {
  const merge = bring(editor, block),
    [id, node] = fresh(editor, block);
  const put = (d: Drawing): Drawing => {
    const layout: Layout = { ...d.layout, [id]: [at[0], at[1]] };
    if (!Object.keys(d.graph.nodes).length) made.add(layout);
    return { ...d, graph: g.addNode(d.graph, id, node), layout };
  };
  editor.attempt(put, "now", merge);
  editor.select([id]);
  return id;
}

/**
 * Put a block after the selected one: between it and the next where its first output has one wire,
 * else wired to it. Where it puts nothing out (an Output), the block comes in front of it.
 * extras: settings and further wires that were typed. Returns its id; "" when it was refused.
 */
export function addNext(editor: Editor, block: string, middle: Point, extras: Extras = NO_EXTRAS): string {
  const merge = bring(editor, block);
  const { selectedNodes, drawing, catalogue } = editor.state;
  const from = selectedNodes.size === 1 ? ([...selectedNodes][0] as string) : "";
  const [id, plain] = fresh(editor, block);
  const settings = { ...plain.settings, ...extras.settings };
  const node = Object.keys(settings).length ? { ...plain, settings } : plain;
  const between = leading(editor, from) ?? into(editor, from);
  const passes = hasBothEnds(editor, block);
  const put = (d: Drawing): Drawing => {
    const next =
      between && passes
        ? roomy(d, insertOnEdge(d, id, node, between, catalogue), editor)
        : appended(editor, d, [id, node], from, middle);
    const placed = extras.from.length ? { ...next, graph: furtherWires(next.graph, id, extras.from, editor) } : next;
    if (isMade(drawing, editor)) made.add(placed.layout);
    return placed;
  };
  if (!editor.attempt(put, "now", merge)) return "";
  shown(editor, id, drawing.layout);
  return id;
}

/** Whether a block can stand on a wire. */
function hasBothEnds(editor: Editor, block: string): boolean {
  const spec = editor.state.catalogue.block(block);
  const own = Object.hasOwn(editor.state.drawing.graph.composites ?? {}, block);
  return own || Boolean(spec?.inputs.length && spec.outputs.length);
}

/** The drawing with a block behind `from`, wired to it where it can be. */
function appended(editor: Editor, d: Drawing, [id, node]: [string, NodeJson], from: string, middle: Point): Drawing {
  const { catalogue, direction } = editor.state;
  const graph = g.addNode(d.graph, id, node),
    ports = new Ports(catalogue, graph);
  const place = freePlace(ports, d.layout, id, d.layout[from] ?? middle, direction);
  const edge = from ? wireTo(graph, ports, from, id) : null;
  return { ...d, graph: edge ? g.connect(graph, edge, catalogue) : graph, layout: { ...d.layout, [id]: place } };
}

/** Wires from the outputs of these blocks into the next free inputs of a new one. Throws Refused. */
function furtherWires(graph: Graph, id: string, from: readonly string[], { state: { catalogue } }: Editor): Graph {
  return from.reduce((before, source) => {
    const ports = new Ports(catalogue, before),
      targetPort = ports.freeInput(id);
    if (!targetPort) throw new g.Refused(`All inputs of ${id} have a wire: none is left for ${source}.`);
    return g.connect(before, { source, sourcePort: ports.firstOutput(source), target: id, targetPort }, catalogue);
  }, graph);
}

/**
 * What is typed goes on from the selected block, else from the last that leads nowhere; in an empty
 * drawing an Input comes first, for a block that reads one.
 */
export function addTyped(editor: Editor, block: string, middle: Point, extras: Extras = NO_EXTRAS): string {
  const {
    drawing: { graph },
    selectedNodes,
    catalogue,
  } = editor.state;
  const ids = Object.keys(graph.nodes),
    reads = catalogue.block(block)?.inputs.some((port) => !port.optional);
  if (selectedNodes.size !== 1) editor.select(ids.filter((id) => leadsNowhere(editor, id)).slice(-1));
  if (!ids.length && reads && catalogue.block("Input") && block !== "Output") addNext(editor, "Input", middle);
  return addNext(editor, block, middle, extras);
}

function leadsNowhere(editor: Editor, id: string): boolean {
  return editor.ports().firstOutput(id) !== "" && !editor.state.drawing.graph.edges.some((e) => e.source === id);
}

/** Layouts in which every place was chosen here: nobody moved a block by hand. */
const made = new WeakSet<Layout>();

const isMade = (drawing: Drawing, editor: Editor): boolean =>
  !Object.keys(drawing.graph.nodes).length || made.has(drawing.layout) || isNeat(drawing, editor);

/** The only wire into a node that puts nothing out. */
function into(editor: Editor, id: string): Edge | undefined {
  const wires = editor.state.drawing.graph.edges.filter((e) => e.target === id);
  return id && !editor.ports().firstOutput(id) && wires.length === 1 ? wires[0] : undefined;
}

/** The only wire that leaves the first output of a node. */
function leading(editor: Editor, from: string): Edge | undefined {
  const port = from ? editor.ports().firstOutput(from) : "";
  const wires = editor.state.drawing.graph.edges.filter((e) => e.source === from && e.sourcePort === port);
  return wires.length === 1 ? wires[0] : undefined;
}

const FEW = 150;

/** A tidy layout stays tidy when something is put in between; one made by hand makes way only. */
export function roomy(before: Drawing, after: Drawing, editor: Editor): Drawing {
  const { direction, catalogue } = editor.state;
  if (isMade(before, editor)) return { ...after, layout: tidied(after, editor) };
  const added = Object.keys(after.graph.nodes).filter((id) => !Object.hasOwn(before.graph.nodes, id));
  return added.reduce((d, id) => ({ ...d, layout: placeOnWire(d, id, direction, catalogue) }), after);
}

function tidied(drawing: Drawing, { state: { direction, catalogue } }: Editor): Layout {
  const layout = tidy(drawing, direction, catalogue);
  made.add(layout);
  return layout;
}

/** Whether all blocks stand where tidying up would put them. */
export function isNeat(drawing: Drawing, editor: Editor): boolean {
  const { direction, catalogue } = editor.state;
  const few = Object.keys(drawing.graph.nodes).length <= FEW;
  return few && equal(drawing.layout, tidy(drawing, direction, catalogue));
}

function wireTo(graph: Graph, ports: Ports, source: string, target: string): Edge | null {
  const sourcePort = ports.firstOutput(source),
    targetPort = ports.firstInput(target);
  const edge = { source, sourcePort, target, targetPort };
  return g.connectProblem(graph, edge, ports) ? null : edge;
}

/** Drop a block onto a wire; a straight one stays straight. */
export function insertAt(editor: Editor, block: string, edge: Edge, at: Point): void {
  const merge = bring(editor, block);
  const {
    catalogue,
    direction,
    drawing: { layout },
  } = editor.state;
  const [id, node] = fresh(editor, block);
  const put = (d: Drawing): Drawing => {
    const placed = { ...d, layout: { ...d.layout, [id]: level(d, edge, at, direction) } };
    return roomy(d, insertOnEdge(placed, id, node, edge, catalogue), editor);
  };
  if (editor.attempt(put, "now", merge)) shown(editor, id, layout);
}

/** A new block is selected, and in view with those that made way for it. before: where they stood. */
export function shown(editor: Editor, id: string, before: Layout): void {
  editor.select([id]);
  editor.follow(id, before);
}

/** Whether a block has no wire yet but could stand on one. */
export function isLoose(editor: Editor, id: string): boolean {
  const { graph } = editor.state.drawing;
  const ports = editor.ports();
  return (
    Object.hasOwn(graph.nodes, id) &&
    ports.firstInput(id) !== "" &&
    ports.firstOutput(id) !== "" &&
    !graph.edges.some((e) => e.source === id || e.target === id)
  );
}

/** Put a block that stands loose in the drawing onto a wire; a straight one stays straight. */
export function dropOnWire(editor: Editor, id: string, edge: Edge, at: Point): void {
  const { catalogue, direction } = editor.state;
  editor.attempt((d) => {
    const ports = editor.ports();
    const into = { ...edge, target: id, targetPort: ports.firstInput(id) };
    const out = { ...edge, source: id, sourcePort: ports.firstOutput(id) };
    const graph = [into, out].reduce((all, e) => g.connect(all, e, catalogue), g.disconnect(d.graph, edge));
    const next = { ...d, graph, layout: { ...d.layout, [id]: level(d, edge, at, direction) } };
    return { ...next, layout: pushApart(next, id, direction, catalogue) };
  });
}

/** A place on a wire: in line with its ends where these are in line. */
function level({ layout }: Drawing, { source, target }: Edge, [x, y]: Point, direction: Direction): [number, number] {
  const a = layout[source],
    b = layout[target];
  if (direction === "right") return [x, a && b && a[1] === b[1] ? a[1] : y];
  return [a && b && a[0] === b[0] ? a[0] : x, y];
}
