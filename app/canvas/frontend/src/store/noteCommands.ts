/** The verbs of notes, each one undo step; typing in one note within 0.8 s is one. */

import type { Box } from "../model/align";
import { GRID, type Size } from "../model/geometry";
import { cardSize } from "../model/cardSize";
import {
  besideBlock,
  freshNoteId,
  LEAST,
  MOST_NOTES,
  MOST_TEXT,
  movedNote,
  NOTE,
  notePlace,
  noteSize,
} from "../model/notes";
import type { Note } from "../protocol";
import type { Editor } from "./editor";

type Point = readonly [number, number];

function commit(editor: Editor, notes: readonly Note[], merge = ""): void {
  editor.commit({ ...editor.state.drawing, notes }, "layout", merge);
}

/** Write a new note: pinned to a block, or free at a place. */
export function addNote(editor: Editor, to: { node: string } | { at: Point }): void {
  const { drawing } = editor.state;
  if (drawing.notes.length >= MOST_NOTES) return editor.notify(`A drawing can have ${MOST_NOTES} notes.`, "error");
  const id = freshNoteId(drawing.notes);
  const note: Note =
    "at" in to
      ? { id, text: "", at: [to.at[0], to.at[1]] }
      : { id, text: "", node: to.node, at: beside(editor, to.node) };
  commit(editor, [...drawing.notes, note]);
  editor.select([], [], [id]);
  editor.set({ editedNote: id });
  editor.lookAt([id]);
}

/** All blocks and notes where they stand. */
function boxes(editor: Editor): Box[] {
  const { drawing, direction } = editor.state;
  const ports = editor.ports();
  const card = (id: string): Box => {
    const [x, y] = drawing.layout[id] ?? [0, 0];
    return { id, x, y, ...cardSize(ports, id, direction) };
  };
  const notes = drawing.notes.map((n): Box => {
    const [x, y] = notePlace(n, drawing.layout);
    return { id: n.id, x, y, ...noteSize(n) };
  });
  return [...Object.keys(drawing.graph.nodes).map(card), ...notes];
}

function beside(editor: Editor, node: string): [number, number] {
  const all = boxes(editor);
  const mine = all.find((b) => b.id === node) as Box;
  return besideBlock(
    mine,
    all.filter((b) => b !== mine),
    editor.state.direction,
  );
}

/** Pinned to the block that is selected alone, else free in the middle of what is seen. */
export function addNoteHere(editor: Editor, middle: Point): void {
  const [only, ...others] = editor.state.selectedNodes;
  if (only && !others.length) addNote(editor, { node: only });
  else addNote(editor, { at: clear(editor, snap(middle[0] - NOTE.width / 2), snap(middle[1] - NOTE.height / 2)) });
}

const snap = (value: number) => Math.round(value / GRID) * GRID;

/** The first place at or below this one where a note covers nothing. */
function clear(editor: Editor, x: number, y: number): [number, number] {
  const taken = boxes(editor);
  const meets = (top: number) =>
    taken.find((b) => x < b.x + b.width && b.x < x + NOTE.width && top < b.y + b.height && b.y < top + NOTE.height);
  let top = y;
  for (let hit = meets(top); hit; hit = meets(top)) top = snap(hit.y + hit.height + GRID + GRID / 2);
  return [x, top];
}

function change(editor: Editor, id: string, edit: (note: Note) => Note, merge = ""): void {
  commit(
    editor,
    editor.state.drawing.notes.map((n) => (n.id === id ? edit(n) : n)),
    merge,
  );
}

/** What was typed; the note grows with its text, upwards where it stands above its block. */
export function writeNote(editor: Editor, id: string, text: string, height: number): void {
  change(
    editor,
    id,
    (n) => {
      const [width, old] = n.size ?? [NOTE.width, NOTE.height];
      const next = Math.ceil(Math.max(height, old) / GRID) * GRID;
      const above = n.node !== undefined && n.at[1] + old <= 0;
      const at = above ? ([n.at[0], n.at[1] + old - next] as const) : n.at;
      const size = next === old ? {} : { at, size: [width, next] as const };
      return { ...n, text: text.slice(0, MOST_TEXT), ...size };
    },
    `note ${id}`,
  );
}

/** Stop writing; a note left empty goes. */
export function endNote(editor: Editor, id: string): void {
  if (editor.state.editedNote === id) editor.set({ editedNote: "" });
  const note = editor.state.drawing.notes.find((n) => n.id === id);
  if (note && !note.text.trim()) removeNotes(editor, new Set([id]));
}

export function removeNotes(editor: Editor, ids: ReadonlySet<string>): void {
  commit(
    editor,
    editor.state.drawing.notes.filter((n) => !ids.has(n.id)),
  );
}

export function resizeNote(editor: Editor, id: string, { width, height }: Size, at: Point): void {
  const snap = (value: number, least: number) => Math.max(least, Math.round(value / GRID) * GRID);
  change(editor, id, (n) => ({
    ...n,
    at: [at[0], at[1]],
    size: [snap(width, LEAST.width), snap(height, LEAST.height)],
  }));
}

/** Pin a free note to a block, or let a pinned one go; it stays where it is. */
export function pinNote(editor: Editor, id: string, node: string | null): void {
  const { layout } = editor.state.drawing;
  change(editor, id, (n) => {
    const place = notePlace(n, layout);
    const { node: _, ...free } = n;
    return movedNote(node ? { ...free, node } : free, place, layout);
  });
}
