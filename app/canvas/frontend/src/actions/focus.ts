/** The keyboard's place on the canvas: arrow keys from block to block, and focus that is never lost. */

import type { KeyboardEvent, MouseEvent } from "react";
import { type Arrow, nextBlock } from "../model/arrowNavigation";
import { move } from "../store/editCommands";
import type { Editor } from "../store/editor";
import { openPanel } from "../store/panels";

/** Whether what is typed here is text. */
export const typing = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select");

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
const STEP = 24;
const DRAWN_MS = [0, 60, 320];

/** Before React Flow sees them: arrows walk along the wires, with Shift they move what is selected. */
export function onArrow(event: KeyboardEvent<HTMLElement>, editor: Editor): void {
  const way = ARROWS[event.key];
  if (!way || event.ctrlKey || event.metaKey || event.altKey || !onCanvas(event.target)) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.shiftKey) return shift(editor, way);
  const { drawing, direction } = editor.state;
  const here = standing(event.target, editor);
  const next = here ? nextBlock(drawing, here, event.key as Arrow, direction) : Object.keys(drawing.graph.nodes)[0];
  if (!next) return;
  editor.show(editor.state.path + next);
  focusBlock(event.currentTarget, next);
}

const onCanvas = (target: EventTarget): boolean =>
  target instanceof Element &&
  target.matches(".loom, .react-flow, .react-flow__node, .react-flow__nodesselection-rect");

/** The block that has the focus, else the one that is selected. */
function standing(target: EventTarget, editor: Editor): string {
  const focused = (target as Element).getAttribute("data-id") ?? "";
  const [first = ""] = editor.state.selectedNodes;
  return Object.hasOwn(editor.state.drawing.graph.nodes, focused) ? focused : first;
}

function shift(editor: Editor, [dx, dy]: readonly [number, number]): void {
  const { selectedNodes, selectedNotes, drawing } = editor.state;
  const places = [...selectedNodes].map((id) => {
    const [x, y] = drawing.layout[id] ?? [0, 0];
    return [id, [x + dx * STEP, y + dy * STEP] as [number, number]] as const;
  });
  const notes = drawing.notes
    .filter((n) => selectedNotes.has(n.id) && !selectedNodes.has(n.node ?? ""))
    .map((n) => [n.id, [n.at[0] + dx * STEP, n.at[1] + dy * STEP] as [number, number]] as const);
  if (places.length + notes.length) move(editor, Object.fromEntries([...places, ...notes]), "nudge");
}

/** Put the focus on a block; one far away is drawn only after the view has moved there. */
export function focusBlock(root: HTMLElement, id: string): void {
  const mine = ++wishes;
  for (const wait of DRAWN_MS) {
    setTimeout(() => {
      if (mine !== wishes || elsewhere(root)) return;
      const block = root.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
      if (!block) return;
      block.focus({ preventScroll: true });
      wishes += 1; // granted: never take the focus from where it goes next
    }, wait);
  }
}

let wishes = 0;

/** Whether the focus went on to a field or a dialog meanwhile: there it must stay. */
function elsewhere(root: HTMLElement): boolean {
  const now = (root.getRootNode() as Document | ShadowRoot).activeElement;
  return now instanceof Element && now.closest("input, textarea, select, dialog") !== null;
}

/** After a verb took away what had the focus: go on from the selected block, else from the canvas. */
export function keepFocus(root: HTMLElement, editor: Editor): void {
  setTimeout(() => {
    const scope = root.getRootNode() as Document | ShadowRoot;
    const lost = !scope.activeElement || scope.activeElement === document.body;
    if (lost) toBlock(root, editor);
  }, 50);
}

/** Open a panel that is closed, and put the focus on the first of `places` found in it. */
export function enter(root: HTMLElement, panel: "palette" | "side", places: string): void {
  openPanel(panel);
  const here = root.querySelector<HTMLElement>(places);
  if (here)
    here.focus(); // at once: the next key is typed into it
  else setTimeout(() => root.querySelector<HTMLElement>(places)?.focus(), 30);
}

const fromSearch = new WeakSet<HTMLElement>();

/** From the search for blocks to the first setting of the selected block; false where there is none. */
export function toSettings(root: HTMLElement, editor: Editor): boolean {
  if (editor.state.selectedNodes.size !== 1) return false;
  const closed = !root.querySelector(".side");
  editor.set({ tab: "block" });
  const place = [GIVEN, ANY].find((one) => root.querySelector(one));
  if (!closed && !place) return false;
  fromSearch.add(root);
  enter(root, "side", place ?? ANY);
  return true;
}

const ANY = ".inspector .section .field",
  GIVEN = ".inspector .section .form-row[data-given] .field";

/** Back to the search for blocks, where the settings were entered from there; else nothing. */
export function backToSearch(root: HTMLElement): boolean {
  if (!fromSearch.has(root)) return false;
  enter(root, "palette", "[data-testid=palette-search]");
  return true;
}

/** A hand on the mouse goes its own ways. */
export const forgetSearch = (root: HTMLElement): boolean => fromSearch.delete(root);

/** A fix that was pressed will be gone with the next answer: go on from the block. */
export function onFixed(event: MouseEvent<HTMLElement>, editor: Editor): void {
  if (event.target instanceof Element && event.target.closest(".fix")) toBlock(event.currentTarget, editor);
}

/** Put the focus on the canvas, and there on the selected block. */
export function toBlock(root: HTMLElement, editor: Editor): void {
  root.focus({ preventScroll: true });
  const [id] = editor.state.selectedNodes;
  if (id) focusBlock(root, id);
}

/** Go to the offered fixes of the selected block, beside it or in the inspector. */
export function focusFix(root: HTMLElement, editor: Editor): void {
  const fix = root.querySelector<HTMLElement>(".popover .fix") ?? root.querySelector<HTMLElement>(".side .fix");
  if (fix) fix.focus();
  else editor.notify("There is no fix for this. Press P for the next problem.");
}
