/** Actions on notes. */

import type { Note } from "../protocol";
import type { Editor } from "../store/editor";
import { addNote, addNoteHere, pinNote } from "../store/noteCommands";
import type { Action } from "./action";
import { onlyBlock } from "./editActions";

/** The note that is selected alone among notes. */
function onlyNote({ state: { selectedNotes, drawing } }: Editor): Note | undefined {
  const [id, ...others] = selectedNotes;
  return others.length ? undefined : drawing.notes.find((note) => note.id === id);
}

export const addANote: Action = {
  name: "note",
  label: ({ at }) => (at ? "Write a note here" : "Pin a note"),
  title: "Write a note",
  keys: [{ key: "n" }],
  inMenu: ({ editor, at }) => at !== undefined || (onlyBlock(editor) !== "" && !onlyNote(editor)),
  perform: ({ editor, at }) => (at ? addNote(editor, { at }) : addNoteHere(editor, editor.middle())),
};

/** Enter does it, too, where a note has the focus: keyboard.ts. */
export const write: Action = {
  name: "write",
  label: "Write",
  enabled: ({ editor }) => onlyNote(editor) !== undefined && !editor.state.selectedNodes.size,
  perform: ({ editor }) => editor.set({ editedNote: onlyNote(editor)?.id ?? "" }),
};

export const pin: Action = {
  name: "pin",
  label: ({ editor }) => `Pin the note to ${onlyBlock(editor)}`,
  enabled: ({ editor }) =>
    onlyNote(editor) !== undefined && onlyBlock(editor) !== "" && onlyNote(editor)?.node !== onlyBlock(editor),
  perform: ({ editor }) => pinNote(editor, onlyNote(editor)?.id ?? "", onlyBlock(editor)),
};

export const unpin: Action = {
  name: "unpin",
  label: ({ editor }) => `Unpin the note from ${onlyNote(editor)?.node}`,
  enabled: ({ editor }) => onlyNote(editor)?.node !== undefined,
  perform: ({ editor }) => pinNote(editor, onlyNote(editor)?.id ?? "", null),
};
