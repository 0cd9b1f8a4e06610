/** The keyboard stays in the workbench when what had the focus is taken away or switched off. */

import { type RefObject, useEffect } from "react";
import { toBlock } from "../actions/focus";
import type { Editor } from "../store/editor";

/** Whether nothing on the page has the focus, seen from the workbench's own tree. */
export function nowhere(root: HTMLElement): boolean {
  const tree = root.getRootNode() as Document | ShadowRoot;
  const inside = tree instanceof ShadowRoot ? tree.activeElement : null;
  const outside = document.activeElement;
  return !inside && (!outside || outside === document.body || outside === (tree as ShadowRoot).host);
}

/**
 * Whether a key is free for the canvas: nothing has the focus, or a link or button beside the
 * workbench has it, which uses no letters. So shortcuts work right after one has turned the page.
 */
export function isFree(root: HTMLElement, key: string): boolean {
  if (nowhere(root)) return true;
  const holder = document.activeElement;
  return (
    holder !== null &&
    !root.contains(holder) &&
    holder !== (root.getRootNode() as ShadowRoot).host &&
    leavesKey(holder, key)
  );
}

interface Holder {
  matches(selectors: string): boolean;
  closest(selectors: string): unknown;
}

/** Whether a focused element of the page has no use for a key itself. */
export function leavesKey(holder: Holder, key: string): boolean {
  if (key === " " || key === "Enter" || key === "Tab" || key === "Escape" || key.startsWith("Arrow")) return false;
  return (
    holder.matches("a[href], button") &&
    holder.closest("[role=menu], [role=listbox], [role=radiogroup], [role=tablist], [role=toolbar]") === null
  );
}

/** What had the focus last, by document: it outlives a workbench that is mounted anew. */
const holders = new WeakMap<Editor, Element>();
const MOUNTED_MS = [0, 100, 400];

/**
 * Give the focus back to the canvas, there to the selected block, whenever the element that has it
 * goes: a button that vanishes when pressed, a field left with Enter, a dialog that closes, a block
 * that gets another place among its siblings, the whole workbench when it is drawn anew. Browsers
 * leave it with the page, where the next Ctrl+Z is lost.
 */
export function useRestoreFocus(ref: RefObject<HTMLElement | null>, editor: Editor): void {
  useEffect(() => {
    const root = ref.current;
    if (!root) return;
    const moved = (event: Event) => {
      if (event.target instanceof Element) holders.set(editor, event.target);
    };
    // Between what is left and what is entered nothing has the focus: a field that is drawn anew as it
    // is left must not take it back, or Tab never leaves it.
    const leaving = ({ relatedTarget: next }: FocusEvent) => {
      if (!(next instanceof Element)) return;
      if (root.contains(next)) holders.set(editor, next);
      else holders.delete(editor);
    };
    const left = (event: Event) => {
      if (!event.composedPath().includes(root)) holders.delete(editor);
    };
    const gone = () => {
      const last = holders.get(editor);
      const here = last?.isConnected,
        off = here && last?.matches(":disabled");
      if (!last || (!off && !nowhere(root))) return;
      holders.delete(editor);
      if (here && !off && last instanceof HTMLElement) last.focus({ preventScroll: true });
      if (nowhere(root) || off) toBlock(root, editor);
    };
    const watch = new MutationObserver(gone);
    watch.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
    root.addEventListener("focusin", moved, true); // the document hears of no move within a shadow tree
    root.addEventListener("focusout", leaving, true);
    document.addEventListener("focusin", left, true);
    document.addEventListener("pointerdown", left, true);
    const early = MOUNTED_MS.map((ms) => setTimeout(gone, ms));
    return () => {
      watch.disconnect();
      root.removeEventListener("focusin", moved, true);
      root.removeEventListener("focusout", leaving, true);
      document.removeEventListener("focusin", left, true);
      document.removeEventListener("pointerdown", left, true);
      early.forEach(clearTimeout);
    };
  }, [ref, editor]);
}
