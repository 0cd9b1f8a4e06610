/** Keys of the canvas. Plain letters stop here: Streamlit has shortcuts of its own on r and c. */

import type { KeyboardEvent } from "react";
import { isNoteId } from "../model/notes";
import type { Bench } from "../store/bench";
import { openNode } from "../store/compositeCommands";
import type { Action } from "./action";
import { actionOf } from "./actions";
import { backToSearch, enter, keepFocus, toBlock, typing } from "./focus";
import type { Pressed } from "./keys";
import { leave } from "./viewActions";

/** Before React Flow sees it: there Escape on a block or a wire would also select or let go of it. */
export function onEscape(event: KeyboardEvent<HTMLElement>, { editor }: Bench): void {
  const { target, currentTarget: root } = event;
  if (event.key !== "Escape" || typing(target)) return;
  if (!(target instanceof Element) || !target.closest(".react-flow__node, .react-flow__edge")) return;
  event.preventDefault();
  event.stopPropagation();
  leave(editor);
  keepFocus(root, editor);
}

const CLIPBOARD = new Set(["c", "x", "v"]);

/** Whether a key is one of the canvas, wherever it is pressed. */
export function isShortcut(event: Pressed): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  const mod = ctrlKey || metaKey;
  return (
    actionOf(event) !== undefined ||
    (mod ? !altKey && CLIPBOARD.has(key.toLowerCase()) : !altKey && key.startsWith("Arrow"))
  );
}

/** Carry out what a key means where it is pressed. */
export function onKeyDown(event: KeyboardEvent<HTMLElement>, bench: Bench): void {
  const { target, currentTarget: root, key } = event;
  if (target instanceof Element && target.closest("dialog")) return;
  const action = actionOf(event);
  if (typing(target)) {
    if (key === "Escape") toBlock(root, bench.editor);
    if (key === "Enter" && isSetting(target) && backToSearch(root)) event.preventDefault();
    if (action?.whileTyping) run(action);
    return;
  }
  const mod = event.ctrlKey || event.metaKey;
  if (key === "Enter" && !mod) onEnter(event, bench);
  else if (action) run(action);
  if (!mod && key.length === 1) event.stopPropagation();

  function run(action: Action): void {
    event.preventDefault();
    event.stopPropagation();
    action.perform({ ...bench, root });
    keepFocus(root, bench.editor);
  }
}

/** A field of the inspector that holds what was meant. */
const isSetting = (target: EventTarget): boolean =>
  target instanceof Element && target.matches(".side input:not([aria-invalid=true]), .side select");

/** Enter writes in a note, opens a composite, and goes to the settings of any other block. */
function onEnter(event: KeyboardEvent<HTMLElement>, { editor }: Bench): void {
  const { target, currentTarget: root } = event;
  if (!(target instanceof Element) || !target.matches(".loom, .react-flow__node")) return;
  event.preventDefault();
  const id = target.getAttribute("data-id") ?? "";
  if (isNoteId(id)) return editor.set({ editedNote: id });
  const [only = "", ...others] = editor.state.selectedNodes;
  if (!others.length && openNode(editor, only)) return keepFocus(root, editor);
  editor.set({ tab: "block" });
  enter(root, "side", ".inspector .section .field");
}
