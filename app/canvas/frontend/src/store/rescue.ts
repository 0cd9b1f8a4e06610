/** Edits that Python has not acknowledged yet are kept in the browser, for after a closed tab. */

import type { Catalogue } from "../model/catalogue";
import type { Drawing } from "../model/drawing";
import { fromWire, toWire } from "../model/graph";
import { writeNotes } from "../model/notes";
import { allPlaces, withPlaces } from "../model/scope";
import type { GraphJson, Json, Layout } from "../protocol";
import { equal } from "./annotations";
import type { Editor } from "./editor";
import type { EditorState } from "./state";

const key = (editor: Editor) => `layerloom:unsent:${editor.doc}`;
const waiting = new WeakMap<Editor, ReturnType<typeof setTimeout>>();
const IDLE_MS = 250;

function storage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null; // The browser refuses storage (private mode): there is then nothing to rescue to.
  }
}

/** Write the drawing when the user pauses. */
export function keepUnsent(editor: Editor): void {
  clearTimeout(waiting.get(editor));
  waiting.set(
    editor,
    setTimeout(() => writeUnsent(editor), IDLE_MS),
  );
}

/** Write the drawing now (the tab is being closed), if Python does not have it. */
export function writeUnsent(editor: Editor): void {
  const { whole, rev, ackRev, loaded } = editor.state;
  if (loaded && rev > ackRev) put(editor, whole, new Date().toISOString());
}

/** Let the browser ask before the tab is closed or left, while the drawing lies on no disk. */
export function warnOfLoss(editor: Editor, event: Pick<BeforeUnloadEvent, "preventDefault" | "returnValue">): void {
  if (!editor.state.unkept) return;
  event.preventDefault();
  event.returnValue = true; // older browsers look at this
}

function put(editor: Editor, drawing: Drawing, when: string): void {
  const text = JSON.stringify({
    when,
    graph: toWire(drawing.graph, editor.state.catalogue),
    layout: allPlaces(drawing),
    notes: writeNotes(drawing, []),
  });
  try {
    storage()?.setItem(key(editor), text);
  } catch {
    editor.notify("The browser's storage is full: unsent edits would be lost with this tab.", "error");
  }
}

/** Python has all that is drawn: nothing is kept but what an earlier visit left, until that is chosen. */
export function forgetUnsent(editor: Editor): void {
  const { rescue } = editor.state;
  if (!rescue) return forget(editor);
  clearTimeout(waiting.get(editor));
  put(editor, rescue.drawing, rescue.when);
}

function forget(editor: Editor): void {
  clearTimeout(waiting.get(editor));
  storage()?.removeItem(key(editor));
}

/** Unsent edits of an earlier visit, if they differ from what Python has. */
export function unsentOf(editor: Editor): EditorState["rescue"] {
  const text = storage()?.getItem(key(editor));
  if (!text) return null;
  try {
    const kept = JSON.parse(text) as { when: string; graph: GraphJson; layout: Layout; notes?: Json[] };
    const { catalogue, whole } = editor.state;
    const drawing: Drawing = withPlaces(fromWire(kept.graph, catalogue), kept.layout, kept.notes);
    return sameDrawing(drawing, whole, catalogue) ? null : { drawing, when: kept.when };
  } catch {
    storage()?.removeItem(key(editor));
    return null;
  }
}

/** Whether two drawings are the same: blocks and wires, places, notes. */
export function sameDrawing(one: Drawing, other: Drawing, catalogue: Catalogue): boolean {
  return (
    equal(toWire(one.graph, catalogue), toWire(other.graph, catalogue)) &&
    equal(writeNotes(one, []), writeNotes(other, [])) &&
    stands(one, other)
  );
}

/** Whether all that one drawing places stands there in the other; the file rounds to hundredths. */
export function stands(one: Drawing, other: Drawing): boolean {
  const places = allPlaces(other);
  return Object.entries(allPlaces(one)).every(([id, [x, y]]) => {
    const at = places[id];
    return at !== undefined && Math.abs(at[0] - x) < 0.01 && Math.abs(at[1] - y) < 0.01;
  });
}

/** Ask about edits that Python never had, where it meanwhile has what this tab never drew. */
export function offer(editor: Editor, drawing: Drawing): void {
  const when = new Date().toISOString();
  put(editor, drawing, when);
  editor.set({ rescue: { drawing, when } });
}

/** Take the unsent edits; undo goes on before them as if the page had never gone. */
export function restore(editor: Editor): void {
  const { rescue, past, future } = editor.state;
  if (rescue) editor.commitWhole(rescue.drawing);
  if (rescue?.trail && !past.length && !future.length) editor.set(rescue.trail);
  editor.set({ rescue: null });
}

export function discard(editor: Editor): void {
  forget(editor);
  editor.set({ rescue: null });
}
