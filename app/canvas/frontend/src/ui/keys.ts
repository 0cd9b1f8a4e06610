/** Keys of the canvas. Plain letters stop here: Streamlit has shortcuts of its own on r and c. */

import type { ClipboardEvent, KeyboardEvent } from "react";
import { MEASURES } from "../model/heat";
import { problems, shownAs } from "../store/annotations";
import { goUp, isDrawn, openNode, unpack } from "../store/compose";
import { isNoteId } from "../model/remarks";
import { alignChosen, distributeChosen, tidyUp } from "../store/arrange";
import type { EditorState } from "../store/editor";
import { jot } from "../store/jot";
import { toggleFrozen } from "../store/learn";
import { arrange, copied, duplicate, pasteText, removeSelected, selectAll } from "../store/verbs";
import type { Bench } from "./context";
import { enter, focusBlock, focusFix, keepFocus, toBlock } from "./walking";

export const typing = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select");

type Verb = (bench: Bench, root: HTMLElement) => void;

const PLAIN: Record<string, Verb> = {
  Delete: ({ editor }) => removeSelected(editor),
  Backspace: ({ editor }) => removeSelected(editor),
  Escape: ({ editor }) => escape(editor),
  f: ({ editor }) => editor.lookAt([]),
  F: ({ editor }) => look(editor),
  l: ({ editor }) => tidyUp(editor),
  L: ({ editor }) => arrange(editor, editor.state.direction === "down" ? "right" : "down"),
  p: ({ editor }, root) => nextProblem(editor, root),
  P: ({ editor }, root) => nextProblem(editor, root, -1),
  n: ({ editor }) => jot(editor, editor.middle()),
  m: ({ editor }, root) => menu(editor, root),
  x: ({ editor }, root) => focusFix(root, editor),
  t: ({ editor }) => toggleFrozen(editor),
  h: ({ editor }) => nextHeat(editor),
  "/": (_, root) => enter(root, "palette", "[data-testid=palette-search]"),
};

/** One step out: what lies over the canvas, the selection, the open composite. */
function escape(editor: Bench["editor"]): void {
  const { overlay, nodes, edges } = editor.state;
  if (overlay) editor.set({ overlay: null });
  else if (nodes.size || edges.size) editor.select([]);
  else goUp(editor);
}

/** Before React Flow sees it: there Escape on a block or a wire would also select or let go of it. */
export function onEscape(event: KeyboardEvent<HTMLElement>, { editor }: Bench): void {
  const { target, currentTarget: root } = event;
  if (event.key !== "Escape" || typing(target)) return;
  if (!(target instanceof Element) || !target.closest(".react-flow__node, .react-flow__edge")) return;
  event.preventDefault();
  event.stopPropagation();
  escape(editor);
  keepFocus(root, editor);
}

/** With Alt, by the place of the key: there a letter may be another character. */
const WITH_ALT: Record<string, (editor: Bench["editor"]) => void> = {
  KeyA: (editor) => alignChosen(editor, "left"),
  KeyH: (editor) => alignChosen(editor, "centre"),
  KeyD: (editor) => alignChosen(editor, "right"),
  KeyW: (editor) => alignChosen(editor, "top"),
  KeyV: (editor) => alignChosen(editor, "middle"),
  KeyS: (editor) => alignChosen(editor, "bottom"),
  "shift+KeyH": (editor) => distributeChosen(editor, "across"),
  "shift+KeyV": (editor) => distributeChosen(editor, "down"),
};

/** All of what is selected, as large as it fits. */
function look(editor: Bench["editor"]): void {
  const [...ids] = editor.state.nodes;
  if (ids.length) editor.lookAt(ids, false, true);
  else editor.say("Select blocks first: then Shift+F shows just them.");
}

/** The menu of the selected blocks beside the first of them, or that of the drawing. */
function menu(editor: Bench["editor"], root: HTMLElement): void {
  const [id = ""] = [...editor.state.nodes, ...editor.state.noteIds];
  const stage = root.querySelector(".canvas")?.getBoundingClientRect();
  const block = id && root.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.getBoundingClientRect();
  if (!stage) return;
  const x = block ? block.right - stage.left + 6 : stage.width / 2 - 100, y = block ? block.top - stage.top : stage.height / 3;
  const place = { x: Math.max(0, Math.min(x, stage.width - 280)), y: Math.max(0, Math.min(y, stage.height - 340)) };
  editor.set({ overlay: { kind: "menu", ...place, ...(id ? {} : { at: editor.middle() }) } });
}

const WITH_MOD: Record<string, Verb> = {
  z: ({ editor }) => editor.undo(),
  "shift+z": ({ editor }) => editor.redo(),
  y: ({ editor }) => editor.redo(),
  d: ({ editor }) => duplicate(editor),
  g: ({ editor }) => editor.set({ overlay: { kind: "group" } }),
  "shift+g": ({ editor }) => [...editor.state.nodes].filter((id) => isDrawn(editor, id)).forEach((id) => unpack(editor, id)),
  a: ({ editor }) => selectAll(editor),
  s: ({ sync }) => sync.act("save"),
  k: ({ editor }) => editor.set({ overlay: { kind: "search" } }),
};

/** Whether a key is one of the canvas, wherever it is pressed. */
export function isShortcut({ key, code, ctrlKey, metaKey, altKey, shiftKey }: Pressed): boolean {
  if (ctrlKey || metaKey) return !altKey && (CLIPBOARD.has(key.toLowerCase()) || `${shiftKey ? "shift+" : ""}${key.toLowerCase()}` in WITH_MOD);
  if (altKey) return `${shiftKey ? "shift+" : ""}${code}` in WITH_ALT;
  return key in PLAIN || key === "?" || key.startsWith("Arrow");
}

type Pressed = Pick<globalThis.KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;
const CLIPBOARD = new Set(["c", "x", "v"]);

export function onKeyDown(event: KeyboardEvent<HTMLElement>, bench: Bench, help: () => void): void {
  if (event.target instanceof Element && event.target.closest("dialog")) return;
  const root = event.currentTarget;
  const mod = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 && mod ? event.key.toLowerCase() : event.key;
  const verb = mod ? WITH_MOD[`${event.shiftKey ? "shift+" : ""}${key}`] : PLAIN[key];
  if (typing(event.target)) {
    if (key === "Escape") toBlock(root, bench.editor);
    if (mod && (key === "s" || key === "k") && verb) run();
    return;
  }
  const note = event.target instanceof Element ? (event.target.closest(".react-flow__node")?.getAttribute("data-id") ?? "") : "";
  const alt = event.altKey && !mod ? WITH_ALT[`${event.shiftKey ? "shift+" : ""}${event.code}`] : undefined;
  if (alt) {
    event.preventDefault();
    event.stopPropagation();
    alt(bench.editor);
  } else if (key === "Enter" && !mod && isNoteId(note) && event.target instanceof Element && event.target.matches(".react-flow__node")) {
    event.preventDefault();
    bench.editor.set({ writing: note });
  } else if (key === "?" && !mod) {
    event.preventDefault();
    help();
  } else if (key === "Enter" && !mod && onBlock(event.target)) {
    event.preventDefault();
    const [only = "", ...others] = bench.editor.state.nodes;
    if (!others.length && openNode(bench.editor, only)) return keepFocus(root, bench.editor);
    bench.editor.set({ tab: "block" });
    enter(root, "side", ".inspector .section .field");
  } else if (verb && !event.altKey) run();
  if (!mod && event.key.length === 1) event.stopPropagation();

  function run(): void {
    event.preventDefault();
    event.stopPropagation();
    verb?.(bench, root);
    keepFocus(root, bench.editor);
  }
}

const onBlock = (target: EventTarget): boolean =>
  target instanceof Element && (target.matches(".loom") || target.matches(".react-flow__node"));

/** Colour the blocks by the next measure, after the last by their families again. */
function nextHeat(editor: Bench["editor"]): void {
  const all = ["", ...Object.keys(MEASURES)] as EditorState["heat"][];
  editor.set({ heat: all[(all.indexOf(editor.state.heat) + 1) % all.length] ?? "" });
}

function nextProblem(editor: Bench["editor"], root: HTMLElement, step = 1): void {
  const all = problems(editor.state.notes);
  if (!all.length) return editor.say("No problems: every shape fits.");
  const now = all.findIndex((p) => editor.state.nodes.has(shownAs(p.node, editor.state.path)));
  const next = all[(Math.max(now, step < 0 ? 0 : -1) + step + all.length) % all.length];
  if (!next) return;
  editor.show(next.node);
  focusBlock(root, shownAs(next.node, editor.state.path));
}

/** What was copied last here, for browsers that keep the clipboard to themselves. */
let own = "";

export function onCopy(event: ClipboardEvent, { editor }: Bench, cut: boolean): void {
  if (typing(event.target) || getSelection()?.toString()) return;
  const text = copied(editor);
  if (!text) return;
  own = text;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  const count = editor.state.nodes.size, notes = editor.state.noteIds.size;
  if (cut) {
    removeSelected(editor);
    (event.currentTarget as HTMLElement).focus({ preventScroll: true }); // the next Ctrl+V is for the canvas
  }
  const what = count ? `${count} ${count === 1 ? "block" : "blocks"}` : `${notes} ${notes === 1 ? "note" : "notes"}`;
  editor.say(`${what} ${cut ? "cut" : "copied"}.`);
}

export function onPaste(event: ClipboardEvent, { editor }: Bench): void {
  if (typing(event.target)) return;
  event.preventDefault();
  const text = event.clipboardData.getData("text/plain");
  const problem = pasteText(editor, text || own);
  if (problem) return editor.say(problem, "error");
  editor.lookAt([...editor.state.nodes].slice(0, 1));
}
