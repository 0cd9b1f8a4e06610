/** Keys pressed while nothing on the page has the focus are for the canvas. */

import { type RefObject, useEffect } from "react";
import { nowhere } from "./held";
import { isShortcut } from "./keys";

/** Whether something that must be answered first lies over the page or the workbench. */
const covered = (root: HTMLElement): boolean =>
  document.querySelector("dialog[open], [role=dialog]") !== null || root.querySelector("dialog[open]") !== null;

const AWAY_MS = 1000;
/** Keys pressed while Streamlit takes the workbench off the page to draw it anew, and since when it is off. */
const waiting: KeyboardEvent[] = [];
let away = -Infinity;
let workbenches = 0;

function wait(event: KeyboardEvent): void {
  const idle = !document.activeElement || document.activeElement === document.body;
  if (workbenches || !idle || !isShortcut(event) || performance.now() - away > AWAY_MS) return;
  waiting.push(event);
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Let the canvas have a key; whether it is left to the browser. */
function give(root: HTMLElement, { key, code, ctrlKey, shiftKey, altKey, metaKey, repeat }: KeyboardEvent): boolean {
  root.focus({ preventScroll: true });
  const same = { key, code, ctrlKey, shiftKey, altKey, metaKey, repeat };
  return root.dispatchEvent(new KeyboardEvent("keydown", { ...same, bubbles: true, composed: true, cancelable: true }));
}

/**
 * Browsers give the keys to the page itself after what had the focus is gone, or before anything
 * had it. Then the canvas takes the focus, and the key acts there; a field's keys are never taken.
 * Keys pressed while the workbench is drawn anew wait for it.
 */
export function useStrayKeys(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const root = ref.current;
      if (!root || event.defaultPrevented || !isShortcut(event) || !nowhere(root) || covered(root)) return;
      event.stopImmediatePropagation();
      if (!give(root, event)) event.preventDefault();
    };
    workbenches += 1;
    document.removeEventListener("keydown", wait, true);
    document.addEventListener("keydown", onKey, true);
    const late = setTimeout(() => {
      const fresh = waiting.splice(0).filter((event) => performance.now() - event.timeStamp < 2 * AWAY_MS);
      for (const event of fresh) if (ref.current) give(ref.current, event);
    });
    return () => {
      clearTimeout(late);
      document.removeEventListener("keydown", onKey, true);
      workbenches -= 1;
      away = performance.now();
      document.addEventListener("keydown", wait, true);
    };
  }, [ref]);
}
