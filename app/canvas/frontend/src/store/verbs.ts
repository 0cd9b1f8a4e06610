/** The verbs of the canvas, each one commit of the editor and so one undo step. */

import { applyEdits, insertOnEdge, removeNodes, rename, setKey } from "../model/edits";
import { copyText, paste } from "../model/clipboard";
import { type Copied, readCopied, Unusable } from "../model/copied";
import type { Direction } from "../model/geometry";
import * as g from "../model/graph";
import { type Drawing, type Edge, edgeId } from "../model/graph";
import { freePlace, tidy } from "../model/layout";
import { freshId, stem } from "../model/names";
import { Ports } from "../model/ports";
import { isNoteId } from "../model/remarks";
import { withRoom } from "../model/room";
import type { Fix, Json, Layout, NodeJson, Settings } from "../protocol";
import { equal } from "./annotations";
import { env } from "./compose";
import type { Editor, Pace } from "./editor";
import { refusal } from "./wiring";

type Point = readonly [number, number];

/** Settings of a block fresh from the palette. */
function startOf(editor: Editor, block: string): Settings {
  return editor.state.catalogue.start(block);
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
  const { nodes, drawing, direction, catalogue } = editor.state;
  const from = nodes.size === 1 ? ([...nodes][0] as string) : "";
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
  const neat = Object.keys(before.graph.nodes).length <= FEW && equal(before.layout, tidy(before, direction, catalogue));
  if (neat) return { ...after, layout: tidy(after, direction, catalogue) };
  const added = Object.keys(after.graph.nodes).filter((id) => !Object.hasOwn(before.graph.nodes, id));
  return added.reduce((d, id) => ({ ...d, layout: withRoom(d, id, direction, catalogue) }), after);
}

function wireTo(graph: g.Graph, ports: Ports, source: string, target: string): Edge | null {
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

export function connect(editor: Editor, edge: Edge): boolean {
  const { catalogue } = editor.state;
  const reason = refusal(editor, edge);
  return editor.attempt((d) => {
    if (reason) throw new g.Refused(reason);
    return { ...d, graph: g.connect(d.graph, edge, catalogue) };
  });
}

/** Take one end of a wire to another port. */
export function reconnect(editor: Editor, old: Edge, edge: Edge): void {
  const { catalogue } = editor.state;
  const reason = refusal(editor, edge);
  editor.attempt((d) => {
    if (reason) throw new g.Refused(reason);
    return { ...d, graph: g.connect(g.disconnect(d.graph, old), edge, catalogue) };
  });
}

export function disconnect(editor: Editor, edge: Edge): void {
  editor.attempt((d) => ({ ...d, graph: g.disconnect(d.graph, edge) }));
}

export function removeSelected(editor: Editor): void {
  const { nodes, edges, noteIds, drawing } = editor.state;
  if (!nodes.size && !edges.size && !noteIds.size) return;
  editor.attempt((d) => {
    const kept = { ...d.graph, edges: d.graph.edges.filter((e) => !edges.has(edgeId(e))) };
    const notes = noteIds.size ? d.notes.filter((n) => !noteIds.has(n.id)) : d.notes;
    return removeNodes({ ...d, notes, graph: edges.size ? kept : d.graph }, [...nodes]);
  });
  // Go on from the block before: the next one from the palette is wired to it.
  const gone = drawing.graph.edges.find((e) => nodes.has(e.target) && !nodes.has(e.source));
  editor.select(gone && nodes.size === 1 ? [gone.source] : []);
}

export function copied(editor: Editor): string {
  const { drawing, nodes, noteIds, catalogue } = editor.state;
  return nodes.size + noteIds.size ? copyText(drawing, [...nodes], noteIds, env(editor) ?? {}, catalogue) : "";
}

const ASIDE = 32;

/** Paste blocks from a text; what cannot be pasted changes nothing. Returns why not, "" when done. */
export function pasteText(editor: Editor, text: string): string {
  const { drawing, catalogue } = editor.state;
  try {
    const blocks = readCopied(text);
    const pasted = paste(drawing, blocks, aside(drawing, blocks), env(editor), catalogue);
    editor.commit(pasted.drawing);
    editor.select(pasted.ids, [], pasted.notes);
    return "";
  } catch (error) {
    if (error instanceof Unusable || error instanceof g.Refused) return error.message;
    throw error;
  }
}

/** How far aside of their first place the pasted blocks cover none that stands there. */
function aside(drawing: Drawing, { layout, notes }: Copied): [number, number] {
  const wanted = [...Object.values(layout), ...notes.filter((n) => !n.node).map((n) => n.at)];
  const free = drawing.notes.filter((n) => !n.node).map((n) => n.at);
  const taken = new Set([...Object.values(drawing.layout), ...free].map(([x, y]) => `${x},${y}`));
  let by = ASIDE;
  while (wanted.some(([x, y]) => taken.has(`${x + by},${y + by}`))) by += ASIDE;
  return [by, by];
}

export function duplicate(editor: Editor): void {
  const text = copied(editor);
  const problem = text && pasteText(editor, text);
  if (problem) editor.say(problem, "error");
}

export function selectAll(editor: Editor): void {
  const { graph, notes } = editor.state.drawing;
  editor.select(Object.keys(graph.nodes), graph.edges.map(edgeId), notes.map((n) => n.id));
}

/** New places of blocks, and of notes (those of pinned ones count from their block). */
export function move(editor: Editor, places: Layout, merge = ""): void {
  const { drawing } = editor.state;
  const blocks = Object.fromEntries(Object.entries(places).filter(([id]) => !isNoteId(id)));
  const notes = drawing.notes.map((n) => (places[n.id] ? { ...n, at: places[n.id] as Point } : n));
  const moved = Object.keys(places).some(isNoteId) ? notes : drawing.notes;
  const layout = Object.keys(blocks).length ? { ...drawing.layout, ...blocks } : drawing.layout;
  editor.commit({ ...drawing, layout, notes: moved }, "layout", merge);
}

export function arrange(editor: Editor, direction: Direction): void {
  const { drawing, catalogue } = editor.state;
  if (!Object.keys(drawing.graph.nodes).length) return;
  editor.set({ direction });
  editor.commit({ ...drawing, layout: tidy(drawing, direction, catalogue) }, "layout");
  editor.lookAt([]);
}

/** One setting from its field; undefined takes it away. Keystrokes in a field are one undo step. */
export function setSetting(
  editor: Editor, id: string, name: string, value: Json | undefined, pace: Pace = "typing",
): void {
  const gone = value === undefined;
  editor.attempt(
    (d) => ({ ...d, graph: g.setSettings(d.graph, id, { [name]: gone ? null : value }, !gone) }),
    pace, pace === "typing" ? `set ${id} ${name}` : "",
  );
}

export function setDisplay(editor: Editor, id: string, key: "label" | "repeat", value: Json): void {
  editor.attempt((d) => ({ ...d, graph: setKey(d.graph, id, key, value) }), "typing", `${key} ${id}`);
}

export function renameNode(editor: Editor, id: string, to: string): boolean {
  const done = editor.attempt((d) => rename(d, id, to, editor.state.catalogue));
  if (done && id !== to) editor.select([to]);
  return done;
}

/** Carry out an offered fix as one undo step. */
export function applyFix(editor: Editor, fix: Fix): void {
  const before = new Set(Object.keys(editor.state.drawing.graph.nodes));
  const done = editor.attemptWhole((d) => {
    const next = applyEdits(d, fix.edits, editor.state.catalogue);
    const grown = Object.keys(next.graph.nodes).some((id) => !Object.hasOwn(d.graph.nodes, id));
    return grown ? roomy(d, next, editor) : next;
  });
  if (!done) return;
  const added = Object.keys(editor.state.drawing.graph.nodes).filter((id) => !before.has(id));
  if (added.length) editor.select(added);
  editor.say(`Done: ${fix.title}. Ctrl+Z takes it back.`);
}
