/** Keys pressed while nothing on the page has the focus are for the canvas. */

import { type RefObject, useLayoutEffect } from "react";
import { actionOf } from "../actions/actions";
import { isShortcut } from "../actions/keyboard";
import { save } from "../actions/viewActions";
import { isFree } from "./useRestoreFocus";

/** Whether something that must be answered first lies over the page or the workbench. */
const covered = (root: HTMLElement): boolean =>
  document.querySelector("dialog[open], [role=dialog]") !== null || root.querySelector("dialog[open]") !== null;

/** Whether what has the focus is on the page beside the canvas: saving is meant there, too, also in a field. */
const isBeside = (root: HTMLElement): boolean =>
  !root.contains(document.activeElement) && document.activeElement !== (root.getRootNode() as ShadowRoot).host;

/** Let the canvas have a key; whether it is left to the browser. */
function give(root: HTMLElement, { key, code, ctrlKey, shiftKey, altKey, metaKey, repeat }: KeyboardEvent): boolean {
  root.focus({ preventScroll: true });
  const same = { key, code, ctrlKey, shiftKey, altKey, metaKey, repeat };
  return root.dispatchEvent(new KeyboardEvent("keydown", { ...same, bubbles: true, composed: true, cancelable: true }));
}

/**
 * Browsers give the keys to the page itself after what had the focus is gone, or before anything
 * had it; after a page was turned, the link to it has them. Then the canvas takes the focus, and
 * the key acts there; a field's keys are never taken. It listens from the moment the canvas can be
 * seen: an effect after that lost the first key on a busy machine.
 */
export function useGlobalKeys(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const root = ref.current;
      if (!root || event.defaultPrevented || !isShortcut(event) || covered(root)) return;
      if (!isFree(root, event.key) && !(actionOf(event) === save && isBeside(root))) return;
      event.stopImmediatePropagation();
      if (!give(root, event)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [ref]);
}
