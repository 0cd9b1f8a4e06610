/** The menu of the selected blocks, or of the drawing, at the pointer. */

import { type KeyboardEvent, useEffect, useRef } from "react";
import { uses } from "../model/scope";
import { isComposite, isDrawn, makeIndependent, openNode, unpack } from "../store/compose";
import { tidyUp } from "../store/arrange";
import type { Editor, Overlay } from "../store/editor";
import { addNote, pinNote } from "../store/jot";
import { allFrozen, learning, toggleFrozen } from "../store/learn";
import { canShare, shareWeights } from "../store/share";
import { duplicate, removeSelected, selectAll } from "../store/verbs";
import { MOD, useBench, useEditor } from "./context";
import { toBlock } from "./walking";

interface Item {
  id: string;
  text: string;
  keys?: string;
  run: () => void;
}

interface Props {
  x: number;
  y: number;
  /** The place of the drawing that was pressed, where no block stands. */
  at?: [number, number];
}

export function Menu({ x, y, at }: Props) {
  const { editor } = useBench();
  const list = useRef<HTMLDivElement>(null);
  useEditor((s) => s.nodes);
  useEffect(() => list.current?.querySelector("button")?.focus(), []);
  const items = at ? ofPlace(editor, at) : ofChosen(editor);
  const close = () => editor.set({ overlay: null });
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape" || event.key === "Tab") {
      const root = event.currentTarget.closest<HTMLElement>(".loom");
      event.preventDefault();
      close();
      if (root) toBlock(root, editor);
    }
    event.stopPropagation();
    if (!step) return;
    event.preventDefault();
    const all = [...event.currentTarget.querySelectorAll("button")];
    const now = all.indexOf(event.target as HTMLButtonElement);
    all[(now + step + all.length) % all.length]?.focus();
  };
  return (
    <div ref={list} className="menu" role="menu" aria-label={at ? "Drawing" : "Selected blocks"} style={{ left: x, top: y }} data-testid="menu" onKeyDown={onKey}>
      {items.map((item) => (
        <button key={item.id} type="button" role="menuitem" data-testid={`menu-${item.id}`} onClick={() => { close(); item.run(); }}>
          {item.text}{item.keys && <kbd aria-hidden="true">{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}

const overlay = (editor: Editor, next: Overlay) => () => editor.set({ overlay: next });

/** What can be done with the selected blocks. */
function ofChosen(editor: Editor): Item[] {
  const { nodes, noteIds, drawing: { graph, notes }, whole } = editor.state;
  const one = nodes.size === 1 ? ([...nodes][0] as string) : "";
  const own = one !== "" && isComposite(editor, one);
  const drawn = one !== "" && isDrawn(editor, one);
  const many = drawn && uses(whole.graph, graph.nodes[one]?.block ?? "") > 1;
  const weighty = learning(editor);
  const sharing = one !== "" && canShare(editor, one);
  const [noteId = ""] = noteIds.size === 1 ? noteIds : [];
  const note = notes.find((n) => n.id === noteId);
  return [
    ...(note && !nodes.size ? [{ id: "write", text: "Write", keys: "Enter", run: () => editor.set({ writing: noteId }) }] : []),
    ...(note && one && note.node !== one ? [{ id: "pin", text: `Pin the note to ${one}`, run: () => pinNote(editor, noteId, one) }] : []),
    ...(note?.node ? [{ id: "unpin", text: `Unpin the note from ${note.node}`, run: () => pinNote(editor, noteId, null) }] : []),
    ...(own ? [{ id: "open", text: drawn ? "Open" : "Code", keys: "Enter", run: () => void openNode(editor, one) }] : []),
    ...(nodes.size ? [{ id: "group", text: "Group…", keys: `${MOD} G`, run: overlay(editor, { kind: "group" }) }] : []),
    ...(drawn ? [{ id: "unpack", text: "Unpack", keys: `${MOD} Shift G`, run: () => unpack(editor, one) }] : []),
    ...(many ? [{ id: "independent", text: "Make independent", run: () => makeIndependent(editor, one) }] : []),
    ...(weighty.length ? [{ id: "freeze", text: allFrozen(editor, weighty) ? "Unfreeze" : "Freeze", keys: "T", run: () => toggleFrozen(editor) }] : []),
    ...(nodes.size ? [{ id: "look", text: "Show just these", keys: "Shift F", run: () => editor.lookAt([...nodes], false, true) }] : []),
    ...(nodes.size > 1 ? [{ id: "tidy", text: "Lay out these", keys: "L", run: () => tidyUp(editor) }] : []),
    { id: "duplicate", text: "Duplicate", keys: `${MOD} D`, run: () => duplicate(editor) },
    ...(sharing ? [{ id: "share", text: "Another with these weights", run: () => void shareWeights(editor, one) }] : []),
    ...(one && !note ? [{ id: "note", text: "Pin a note", keys: "N", run: () => addNote(editor, { node: one }) }] : []),
    { id: "text", text: "As text…", run: overlay(editor, { kind: "text", mode: "copy" }) },
    { id: "delete", text: "Delete", keys: "Delete", run: () => removeSelected(editor) },
  ];
}

/** What can be done where no block stands. */
function ofPlace(editor: Editor, at: [number, number]): Item[] {
  return [
    { id: "note", text: "Write a note here", keys: "N", run: () => addNote(editor, { at }) },
    { id: "paste", text: "Paste blocks from text…", keys: `${MOD} V`, run: overlay(editor, { kind: "text", mode: "paste" }) },
    { id: "all", text: "Select everything", keys: `${MOD} A`, run: () => selectAll(editor) },
    { id: "tidy", text: "Lay out everything", keys: "L", run: () => { editor.select([]); tidyUp(editor); } },
    { id: "fit", text: "Show everything", keys: "F", run: () => editor.lookAt([]) },
  ];
}
