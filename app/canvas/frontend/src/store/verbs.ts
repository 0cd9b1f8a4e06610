/** The verbs of the canvas, each one commit of the editor and so one undo step. */

import type { Drawing, Edge } from "../model/drawing";
import { applyEdits, removeNodes, rename, setKey } from "../model/edits";
import { copyText, paste } from "../model/clipboard";
import { type Copied, readCopied, Unusable } from "../model/copied";
import type { Direction } from "../model/geometry";
import * as g from "../model/graph";
import { edgeId } from "../model/graph";
import { tidy } from "../model/layout";
import { isNoteId } from "../model/remarks";
import type { Fix, Json, Layout } from "../protocol";
import { env } from "./compose";
import type { Editor, Pace } from "./editor";
import { roomy } from "./insert";
import { refusal } from "./wiring";

export { addAt, addNext, insertAt } from "./insert";

type Point = readonly [number, number];

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
