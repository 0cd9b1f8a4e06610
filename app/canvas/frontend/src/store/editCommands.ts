/** The verbs of the canvas, each one commit of the editor and so one undo step. */

import { copyText, paste } from "../model/clipboard";
import { type ClipboardBlocks, readClipboard, Unusable } from "../model/clipboardFormat";
import type { Drawing, Edge } from "../model/drawing";
import { applyEdits, removeNodes, rename, setKey } from "../model/edits";
import type { Direction } from "../model/geometry";
import * as g from "../model/graph";
import { edgeId } from "../model/graph";
import { tidy } from "../model/layout";
import { isNoteId } from "../model/notes";
import { removeAndJoin, type SignatureOf } from "../model/joining";
import { embed, inside } from "../model/scope";
import type { Fix, Json, Layout } from "../protocol";
import { env } from "./compositeCommands";
import type { Editor } from "./editor";
import { roomy } from "./insertCommands";
import type { Pace } from "./slices/sync";
import { refusal, signatureAt } from "./wireChecks";

export { addAt, addNext, addTyped, insertAt, isKnown } from "./insertCommands";

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

/** Delete what is selected; blocks inside a chain let its ends join where they fit, or leave a gap. */
export function removeSelected(editor: Editor, ends: "join" | "gap" = "join"): void {
  const { selectedNodes, selectedEdges, selectedNotes, drawing, catalogue } = editor.state;
  if (!selectedNodes.size && !selectedEdges.size && !selectedNotes.size) return;
  const known: SignatureOf = (source, port) => signatureAt(editor, source, port);
  let joined: readonly Edge[] = [];
  editor.attempt((d) => {
    const alone = (e: Edge) =>
      selectedEdges.has(edgeId(e)) && !selectedNodes.has(e.source) && !selectedNodes.has(e.target);
    const kept = { ...d.graph, edges: d.graph.edges.filter((e) => !alone(e)) };
    const notes = selectedNotes.size ? d.notes.filter((n) => !selectedNotes.has(n.id)) : d.notes;
    const rest = { ...d, notes, graph: selectedEdges.size ? kept : d.graph };
    if (ends === "gap") return removeNodes(rest, [...selectedNodes]);
    const closed = removeAndJoin(rest, [...selectedNodes], catalogue, known);
    joined = closed.joined;
    return closed.drawing;
  });
  if (joined.length)
    editor.notify(
      `Connected ${joined.map((e) => `${e.source} to ${e.target}`).join(", ")}. Shift+Delete leaves a gap.`,
    );
  // Go on from the block before: the next one from the palette is wired to it.
  const gone = drawing.graph.edges.find((e) => selectedNodes.has(e.target) && !selectedNodes.has(e.source));
  editor.select(gone && selectedNodes.size === 1 ? [gone.source] : []);
}

export function copied(editor: Editor): string {
  const { drawing, selectedNodes, selectedNotes, catalogue } = editor.state;
  return selectedNodes.size + selectedNotes.size
    ? copyText(drawing, [...selectedNodes], selectedNotes, env(editor) ?? {}, catalogue)
    : "";
}

const ASIDE = 32;

/** Paste blocks from a text; what cannot be pasted changes nothing. Returns why not, "" when done. */
export function pasteText(editor: Editor, text: string): string {
  const { drawing, catalogue } = editor.state;
  try {
    const blocks = readClipboard(text);
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
function aside(drawing: Drawing, { layout, notes }: ClipboardBlocks): [number, number] {
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
  if (problem) editor.notify(problem, "error");
}

export function selectAll(editor: Editor): void {
  const { graph, notes } = editor.state.drawing;
  editor.select(
    Object.keys(graph.nodes),
    graph.edges.map(edgeId),
    notes.map((n) => n.id),
  );
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

export function layOut(editor: Editor, direction: Direction): void {
  const { drawing, catalogue } = editor.state;
  if (!Object.keys(drawing.graph.nodes).length) return;
  editor.set({ direction });
  editor.commit({ ...drawing, layout: tidy(drawing, direction, catalogue) }, "layout");
  editor.lookAt([]);
}

/** One setting from its field; undefined takes it away. Keystrokes in a field are one undo step. */
export function setSetting(
  editor: Editor,
  id: string,
  name: string,
  value: Json | undefined,
  pace: Pace = "typing",
): void {
  const gone = value === undefined;
  editor.attempt(
    (d) => ({ ...d, graph: g.setSettings(d.graph, id, { [name]: gone ? null : value }, !gone) }),
    pace,
    pace === "typing" ? `set ${id} ${name}` : "",
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

/** Carry out an offered fix as one undo step: what it adds makes room for itself, and is shown. */
export function applyFix(editor: Editor, fix: Fix): void {
  const {
    graph: { nodes },
    layout,
  } = editor.state.drawing;
  const done = editor.attemptWhole((d) => {
    const next = applyEdits(d, fix.edits, editor.state.catalogue);
    const parts = new Set(fix.edits.flatMap((edit) => edit.composite ?? []));
    const roomyParts = [...parts].reduce((whole, name) => roomyInside(d, whole, name, editor), next);
    return grown(d, next) ? roomy(d, roomyParts, editor) : roomyParts;
  });
  if (!done) return;
  const added = Object.keys(editor.state.drawing.graph.nodes).filter((id) => !Object.hasOwn(nodes, id));
  if (added.length) {
    editor.select(added);
    editor.follow(added[0] as string, layout);
  }
  editor.notify(`Done: ${fix.title}. Ctrl+Z takes it back.`);
}

const grown = (before: Drawing, after: Drawing): boolean =>
  Object.keys(after.graph.nodes).some((id) => !Object.hasOwn(before.graph.nodes, id));

/** The same for what was added to a composite. */
function roomyInside(before: Drawing, after: Drawing, name: string, editor: Editor): Drawing {
  const { catalogue } = editor.state;
  const old = inside(before, name, catalogue),
    part = inside(after, name, catalogue);
  return grown(old, part) ? embed(after, name, roomy(old, part, editor), catalogue) : after;
}
