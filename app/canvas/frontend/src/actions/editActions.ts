/** Actions that change the drawing; each is one undo step. */

import type { Axis, Side } from "../model/align";
import { meant, named } from "../model/part";
import { uses } from "../model/scope";
import { isComposite, isDrawn, makeIndependent, openNode, ungroupNode } from "../store/compositeCommands";
import { duplicate, removeSelected } from "../store/editCommands";
import type { Editor } from "../store/editor";
import { alignChosen, distributeChosen } from "../store/layoutCommands";
import { allFrozen, selectedWithWeights, toggleFrozen } from "../store/learningCommands";
import { canShare, shareWeights } from "../store/sharingCommands";
import type { Action } from "./action";

/** The block that is selected alone; "" for none or several. */
export function onlyBlock({ state: { selectedNodes } }: Editor): string {
  const [id = "", ...others] = selectedNodes;
  return others.length ? "" : id;
}

const some = (editor: Editor): boolean => editor.state.selectedNodes.size > 0;

const onComposite = (editor: Editor): boolean => onlyBlock(editor) !== "" && isDrawn(editor, onlyBlock(editor));

/** How often the composite that is selected alone is used. */
function usesOfOnly(editor: Editor): number {
  const {
    drawing: { graph },
    whole,
  } = editor.state;
  return onComposite(editor) ? uses(whole.graph, graph.nodes[onlyBlock(editor)]?.block ?? "") : 0;
}

export const undo: Action = {
  name: "undo",
  title: "Undo",
  keys: [{ key: "z", mod: true }],
  why: "nothing to undo yet",
  enabled: ({ editor }) => editor.state.past.length > 0,
  perform: ({ editor }) => editor.undo(),
};

export const redo: Action = {
  name: "redo",
  title: "Redo",
  keys: [
    { key: "z", mod: true, shift: true },
    { key: "y", mod: true },
  ],
  why: "nothing was undone",
  enabled: ({ editor }) => editor.state.future.length > 0,
  perform: ({ editor }) => editor.redo(),
};

export const remove: Action = {
  name: "delete",
  label: "Delete",
  keys: [{ key: "Delete" }, { key: "Backspace" }],
  perform: ({ editor }) => removeSelected(editor),
};

export const removeWithGap: Action = {
  name: "delete-gap",
  label: "Delete, leave the gap",
  keys: [
    { key: "Delete", shift: true },
    { key: "Backspace", shift: true },
  ],
  perform: ({ editor }) => removeSelected(editor, "gap"),
};

export const duplicateSelected: Action = {
  name: "duplicate",
  label: "Duplicate",
  keys: [{ key: "d", mod: true }],
  perform: ({ editor }) => duplicate(editor),
};

export const copyAsText: Action = {
  name: "text",
  label: "Copy as text…",
  perform: ({ editor }) => editor.set({ overlay: { kind: "text", mode: "copy" } }),
};

/** Opened on a place; the browser itself pastes on the key. */
export const pasteFromText: Action = {
  name: "paste",
  label: "Paste blocks from text…",
  perform: ({ editor }) => editor.set({ overlay: { kind: "text", mode: "paste" } }),
};

export const group: Action = {
  name: "group",
  label: "Group…",
  title: "Group the selected blocks",
  keys: [{ key: "g", mod: true }],
  why: "select blocks first",
  enabled: ({ editor }) => some(editor),
  perform: ({ editor }) => editor.set({ overlay: { kind: "group" } }),
};

/** Of two blocks, with all on the ways between them. */
export const runPart: Action = {
  name: "part",
  label: ({
    editor: {
      state: {
        drawing: { graph },
        selectedNodes,
      },
    },
  }) => {
    const name = named(graph, meant(graph, selectedNodes));
    return name.includes(" to ") ? `Run from ${name}…` : `Run ${name} by itself…`;
  },
  title: "Run only these blocks, or open them as a new project",
  enabled: ({
    editor: {
      state: {
        drawing: { graph },
        selectedNodes,
      },
    },
  }) => named(graph, meant(graph, selectedNodes)) !== "",
  perform: ({ editor }) => editor.set({ overlay: { kind: "part" } }),
};

export const ungroup: Action = {
  name: "unpack",
  label: "Unpack",
  keys: [{ key: "g", mod: true, shift: true }],
  enabled: ({ editor }) => onComposite(editor),
  perform: ({ editor }) =>
    [...editor.state.selectedNodes].filter((id) => isDrawn(editor, id)).forEach((id) => ungroupNode(editor, id)),
};

export const independent: Action = {
  name: "independent",
  label: "Make independent",
  enabled: ({ editor }) => usesOfOnly(editor) > 1,
  perform: ({ editor }) => makeIndependent(editor, onlyBlock(editor)),
};

/** Enter does it, too, where a block has the focus: keyboard.ts. */
export const open: Action = {
  name: "open",
  label: ({ editor }) => (onComposite(editor) ? "Open" : "Code"),
  enabled: ({ editor }) => onlyBlock(editor) !== "" && isComposite(editor, onlyBlock(editor)),
  perform: ({ editor }) => void openNode(editor, onlyBlock(editor)),
};

export const freeze: Action = {
  name: "freeze",
  label: ({ editor }) => (allFrozen(editor, selectedWithWeights(editor)) ? "Unfreeze" : "Freeze"),
  keys: [{ key: "t" }],
  enabled: ({ editor }) => selectedWithWeights(editor).length > 0,
  perform: ({ editor }) => toggleFrozen(editor),
};

export const share: Action = {
  name: "share",
  label: "Add a block that shares these weights",
  enabled: ({ editor }) => onlyBlock(editor) !== "" && canShare(editor, onlyBlock(editor)),
  perform: ({ editor }) => void shareWeights(editor, onlyBlock(editor)),
};

const align = (side: Side, title: string, key: string): Action => ({
  name: `align-${side}`,
  title,
  keys: [{ key, alt: true }],
  perform: ({ editor }) => alignChosen(editor, side),
});

export const ALIGN: readonly Action[] = [
  align("left", "Align left", "KeyA"),
  align("centre", "Align centres in a column", "KeyH"),
  align("right", "Align right", "KeyD"),
  align("top", "Align top", "KeyW"),
  align("middle", "Align middles in a row", "KeyV"),
  align("bottom", "Align bottom", "KeyS"),
];

const distribute = (axis: Axis, title: string, key: string): Action => ({
  name: `distribute-${axis}`,
  title,
  keys: [{ key, alt: true, shift: true }],
  why: "select three or more",
  enabled: ({ editor: { state } }) => state.selectedNodes.size + state.selectedNotes.size > 2,
  perform: ({ editor }) => distributeChosen(editor, axis),
});

export const DISTRIBUTE: readonly Action[] = [
  distribute("across", "Space evenly, horizontally", "KeyH"),
  distribute("down", "Space evenly, vertically", "KeyV"),
];
