/** Copy, cut and paste, as the browser asks for them. */

import type { ClipboardEvent } from "react";
import type { Bench } from "../store/bench";
import { copied, pasteText, removeSelected } from "../store/editCommands";
import { typing } from "./focus";

/** What was copied last here, for browsers that keep the clipboard to themselves. */
let own = "";

export function onCopy(event: ClipboardEvent, { editor }: Bench, cut: boolean): void {
  if (typing(event.target) || getSelection()?.toString()) return;
  const text = copied(editor);
  if (!text) return;
  own = text;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  const count = editor.state.selectedNodes.size,
    notes = editor.state.selectedNotes.size;
  if (cut) {
    removeSelected(editor);
    (event.currentTarget as HTMLElement).focus({ preventScroll: true }); // the next Ctrl+V is for the canvas
  }
  const what = count ? `${count} ${count === 1 ? "block" : "blocks"}` : `${notes} ${notes === 1 ? "note" : "notes"}`;
  editor.notify(`${what} ${cut ? "cut" : "copied"}.`);
}

export function onPaste(event: ClipboardEvent, { editor }: Bench): void {
  if (typing(event.target)) return;
  event.preventDefault();
  const text = event.clipboardData.getData("text/plain");
  const problem = pasteText(editor, text || own);
  if (problem) return editor.notify(problem, "error");
  editor.lookAt([...editor.state.selectedNodes].slice(0, 1));
}
