/** Undo and redo outlive a reload: their drawings wait in the tab's own storage, as far as they fit. */

import { type PackedHistory, pack, type Trail, unpack } from "../model/deltaStorage";
import type { Drawing } from "../model/drawing";
import { toWire } from "../model/graph";
import { equal } from "./annotations";
import type { Editor } from "./editor";
import { sameDrawing, restore } from "./rescue";

const ROOM = 2_000_000;
const LAST = 20;
const key = (editor: Editor) => `layerloom:undo:${editor.doc}`;

interface Kept {
  form: 3;
  chain: PackedHistory;
  /** What Python may have that is no step of the history: steps in quick succession become one. */
  told: PackedHistory[];
  /** When the page went, if Python keeps another tab's drawing and this one only aside; else "". */
  aside: string;
}

function storage(): Storage | null {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null; // The browser refuses storage: then a reload ends the history, as in most programs.
  }
}

/** Keep the history while the page goes away; the steps furthest from now are left out first. */
export function saveHistory(editor: Editor): void {
  const { loaded, whole, past, future, elsewhere } = editor.state;
  if (!loaded) return;
  const offered = waiting(editor),
    trail = offered ?? { now: whole, past, future };
  const known = [trail.now, ...trail.past, ...trail.future];
  const more = offered ? [] : editor.state.sentDrawings.filter((drawing) => !known.includes(drawing));
  const told = more.map((now) => pack({ past: [], now, future: [] }, ROOM));
  const kept: Kept = { form: 3, chain: pack(trail, ROOM), told, aside: elsewhere ? new Date().toISOString() : "" };
  try {
    storage()?.setItem(key(editor), JSON.stringify(kept));
  } catch {
    storage()?.removeItem(key(editor)); // No room: better no history than one of another drawing.
  }
}

/** The history of unsent edits that are offered and not yet chosen; null where there is none. */
function waiting({ state: { rescue, past, future } }: Editor): Trail | null {
  return rescue?.trail && !past.length && !future.length ? { now: rescue.drawing, ...rescue.trail } : null;
}

/**
 * Bring the history back, if it led to this drawing, or to the unsent edits that are offered. A
 * drawing that Python kept only aside, since another tab had changed the project, is offered too.
 * What this tab drew last, on what Python still has, is taken at once.
 */
export function restoreHistory(editor: Editor): void {
  const text = storage()?.getItem(key(editor));
  if (!text) return;
  storage()?.removeItem(key(editor));
  const { catalogue, whole, rescue } = editor.state;
  const same = (a: Drawing, b: Drawing) => sameDrawing(a, b, catalogue);
  try {
    const kept = JSON.parse(text) as Kept;
    if (kept.form !== 3) return;
    const { now, ...trail } = unpack(kept.chain);
    if (rescue && same(now, rescue.drawing)) {
      editor.set({ rescue: { ...rescue, trail } });
      const told = kept.told.map((chain) => unpack(chain).now);
      const earlier = [now, ...told, ...trail.past.slice(-LAST)].some((drawing) => same(whole, drawing));
      if (earlier && !kept.aside) restore(editor); // this tab drew on from what Python has: nothing to choose
    } else if (!rescue && kept.aside && trail.past.length && !same(whole, now)) {
      const both = { past: [...trail.past, whole], future: [] }; // undo shows what the other tab drew
      editor.set({ rescue: { drawing: now, when: kept.aside, trail: both } });
    } else if (equal(toWire(now.graph, catalogue), toWire(whole.graph, catalogue))) editor.set(trail);
  } catch {
    editor.set({ past: [], future: [] });
  }
}
