/** The verbs that put a block into the drawing, on a wire or beside it; each is one undo step. */

import { startsOf } from "../model/catalogue";
import type { Drawing, Edge, Graph } from "../model/drawing";
import { insertOnEdge } from "../model/edits";
import type { Direction } from "../model/geometry";
import * as g from "../model/graph";
import { freePlace, tidy } from "../model/layout";
import { freshId, stem } from "../model/names";
import { Ports } from "../model/ports";
import { pushApart } from "../model/pushApart";
import type { NodeJson, Settings } from "../protocol";
import { equal } from "./annotations";
import type { Editor } from "./editor";

type Point = readonly [number, number];

/** Settings of a block fresh from the palette. */
function startOf(editor: Editor, block: string): Settings {
  const custom = editor.state.drawing.graph.composites?.[block]?.read;
  return custom ? startsOf(custom.settings) : editor.state.catalogue.start(block);
}

/** A node fresh from the palette, and a free id for it. */
export function fresh(editor: Editor, block: string): [string, NodeJson] {
  const { catalogue, drawing } = editor.state;
  const inner = block === "Input" && editor.state.scope.length > 0;
  const settings = inner ? {} : startOf(editor, block);
  const id = freshId(stem(block, catalogue), catalogue, drawing.graph.nodes);
  return [id, { block, ...(Object.keys(settings).length ? { settings } : {}) }];
}

/** Put a block at a place, wired to nothing. */
export function addAt(editor: Editor, block: string, at: Point): string {
  const [id, node] = fresh(editor, block);
  editor.attempt((d) => ({
    ...d, graph: g.addNode(d.graph, id, node), layout: { ...d.layout, [id]: [at[0], at[1]] },
  }));
  editor.select([id]);
  return id;
}

/**
 * Put a block after the selected one: wired to it where its first output is free, between it and
 * the next where that output has one wire.
 */
export function addNext(editor: Editor, block: string, middle: Point): string {
  const { selectedNodes, drawing, direction, catalogue } = editor.state;
  const from = selectedNodes.size === 1 ? ([...selectedNodes][0] as string) : "";
  const [id, node] = fresh(editor, block);
  const after = leading(editor, from);
  const spec = catalogue.block(block);
  const own = Object.hasOwn(drawing.graph.composites ?? {}, block);
  if (after && (own || (spec?.inputs.length && spec.outputs.length))) {
    editor.attempt((d) => roomy(d, insertOnEdge(d, id, node, after, catalogue), editor));
  } else {
    const graph = g.addNode(drawing.graph, id, node), ports = new Ports(catalogue, graph);
    const place = freePlace(ports, drawing.layout, id, drawing.layout[from] ?? middle, direction);
    editor.attempt((d) => {
      const edge = from ? wireTo(graph, ports, from, id) : null;
      return {
        ...d,
        graph: edge ? g.connect(graph, edge, catalogue) : graph,
        layout: { ...d.layout, [id]: place },
      };
    });
  }
  editor.select([id]);
  editor.lookAt([id]);
  return id;
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
  if (isNeat(before, editor)) return { ...after, layout: tidy(after, direction, catalogue) };
  const added = Object.keys(after.graph.nodes).filter((id) => !Object.hasOwn(before.graph.nodes, id));
  return added.reduce((d, id) => ({ ...d, layout: pushApart(d, id, direction, catalogue) }), after);
}

/** Whether all blocks stand where tidying up would put them. */
export function isNeat(drawing: Drawing, editor: Editor): boolean {
  const { direction, catalogue } = editor.state;
  const few = Object.keys(drawing.graph.nodes).length <= FEW;
  return few && equal(drawing.layout, tidy(drawing, direction, catalogue));
}

function wireTo(graph: Graph, ports: Ports, source: string, target: string): Edge | null {
  const sourcePort = ports.firstOutput(source), targetPort = ports.firstInput(target);
  const used = graph.edges.some((e) => e.source === source && e.sourcePort === sourcePort);
  const edge = { source, sourcePort, target, targetPort };
  return used || g.connectProblem(graph, edge, ports) ? null : edge;
}

/** Drop a block onto a wire. */
export function insertAt(editor: Editor, block: string, edge: Edge, at: Point): void {
  const { catalogue } = editor.state;
  const [id, node] = fresh(editor, block);
  const done = editor.attempt((d) => {
    const placed = { ...d, layout: { ...d.layout, [id]: [at[0], at[1]] as [number, number] } };
    return roomy(d, insertOnEdge(placed, id, node, edge, catalogue), editor);
  });
  if (done) editor.select([id]);
}

/** Whether a block has no wire yet but could stand on one. */
export function isLoose(editor: Editor, id: string): boolean {
  const { graph } = editor.state.drawing;
  const ports = editor.ports();
  return Object.hasOwn(graph.nodes, id) && ports.firstInput(id) !== "" && ports.firstOutput(id) !== ""
    && !graph.edges.some((e) => e.source === id || e.target === id);
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
  const a = layout[source], b = layout[target];
  if (direction === "right") return [x, a && b && a[1] === b[1] ? a[1] : y];
  return [a && b && a[0] === b[0] ? a[0] : x, y];
}
