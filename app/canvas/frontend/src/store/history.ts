/** Undo and redo outlive a reload: their drawings wait in the tab's own storage, as far as they fit. */

import { type Drawing, fromWire, toWire } from "../model/graph";
import { writeNotes } from "../model/remarks";
import { allPlaces, withPlaces } from "../model/scope";
import type { GraphJson, Json, Layout } from "../protocol";
import { equal } from "./annotations";
import type { Editor, EditorState } from "./editor";

const ROOM = 2_000_000;
const key = (editor: Editor) => `layerloom:undo:${editor.doc}`;

interface Step {
  graph: GraphJson;
  layout: Readonly<Layout>;
  notes?: Json[];
}

interface Kept {
  now: Step;
  past: Step[];
  future: Step[];
}

function storage(): Storage | null {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null; // The browser refuses storage: then a reload ends the history, as in most programs.
  }
}

/** Keep the history while the page goes away; the steps furthest from now are left out first. */
export function keepHistory(editor: Editor): void {
  const { catalogue, loaded } = editor.state;
  if (!loaded) return;
  const { whole, past, future } = waiting(editor) ?? editor.state;
  const step = (d: Drawing): Step => ({ graph: toWire(d.graph, catalogue), layout: allPlaces(d), notes: writeNotes(d, []) });
  const now = step(whole);
  let room = ROOM - JSON.stringify(now).length;
  const fitting = (drawings: readonly Drawing[]): Step[] => {
    const kept: Step[] = [];
    for (const one of drawings.toReversed().map(step)) {
      room -= JSON.stringify(one).length;
      if (room < 0) break;
      kept.unshift(one);
    }
    return kept;
  };
  const text: Kept = { now, past: fitting(past), future: fitting(future) };
  try {
    storage()?.setItem(key(editor), JSON.stringify(text));
  } catch {
    storage()?.removeItem(key(editor)); // No room: better no history than one of another drawing.
  }
}

/** The history of unsent edits that are offered and not yet chosen; null where there is none. */
function waiting({ state: { rescue, past, future } }: Editor): Trail | null {
  return rescue?.trail && !past.length && !future.length ? { whole: rescue.drawing, ...rescue.trail } : null;
}

type Trail = Pick<EditorState, "whole" | "past" | "future">;

/** Bring the history back, if it led to this drawing, or to the unsent edits that are offered. */
export function bringHistory(editor: Editor): void {
  const text = storage()?.getItem(key(editor));
  if (!text) return;
  storage()?.removeItem(key(editor));
  const { catalogue, whole, rescue } = editor.state;
  const back = (s: Step): Drawing => withPlaces(fromWire(s.graph, catalogue), s.layout, s.notes);
  const same = (a: Drawing, b: Drawing) => equal(toWire(a.graph, catalogue), toWire(b.graph, catalogue));
  try {
    const kept = JSON.parse(text) as Kept;
    const now = back(kept.now);
    const trail = { past: kept.past.map(back), future: kept.future.map(back) };
    if (rescue && same(now, rescue.drawing)) editor.set({ rescue: { ...rescue, trail } });
    else if (same(now, whole)) editor.set(trail);
  } catch {
    editor.set({ past: [], future: [] });
  }
}
