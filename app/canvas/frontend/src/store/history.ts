/** Undo and redo outlive a reload: their drawings wait in the tab's own storage, as far as they fit. */

import { type Drawing, fromWire, toWire } from "../model/graph";
import { writeNotes } from "../model/remarks";
import { allPlaces, withPlaces } from "../model/scope";
import type { GraphJson, Json, Layout } from "../protocol";
import { equal } from "./annotations";
import type { Editor } from "./editor";

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
  const { whole, past, future, catalogue, loaded } = editor.state;
  if (!loaded) return;
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

/** Bring the history back, if the drawing is the one that it led to. */
export function bringHistory(editor: Editor): void {
  const text = storage()?.getItem(key(editor));
  if (!text) return;
  storage()?.removeItem(key(editor));
  const { catalogue, whole } = editor.state;
  const back = (s: Step): Drawing => withPlaces(fromWire(s.graph, catalogue), s.layout, s.notes);
  try {
    const kept = JSON.parse(text) as Kept;
    const now = back(kept.now);
    if (!equal(toWire(now.graph, catalogue), toWire(whole.graph, catalogue))) return;
    editor.set({ past: kept.past.map(back), future: kept.future.map(back) });
  } catch {
    editor.set({ past: [], future: [] });
  }
}
