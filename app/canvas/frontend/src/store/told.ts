/** What an answer of Python says: annotations, of which only the changes come, or another drawing. */

import { Catalogue } from "../model/catalogue";
import type { Drawing } from "../model/drawing";
import { fromWire, toWire } from "../model/graph";
import { readNotes } from "../model/remarks";
import { withPlaces } from "../model/scope";
import type { Annotations, Changes, Down, GraphJson } from "../protocol";
import { equal, reuse } from "./annotations";
import { applied } from "./changes";
import type { Editor, Status } from "./editor";
import type { Elsewhere } from "./elsewhere";
import { alike } from "./rescue";

export class Told {
  /** Number of the annotations held; 0 asks for all of them. */
  have = 0;

  /** Show the annotations of an answer; false when they build on some that are not held here. */
  annotate(editor: Editor, down: Down): boolean {
    const { annRev, notes, source } = editor.state;
    const { told = 0, annotations, changes } = down;
    if (down.annRev < annRev) return true;
    if (told > this.have && !annotations && changes?.base !== this.have) {
      this.have = 0;
      return false;
    }
    const next = this.news(notes, down);
    if (next) editor.set({ notes: next, annRev: down.annRev, source: next.source ?? source, sourceOld: next.source === null });
    return true;
  }

  /** The annotations after an answer; null when it has none that are newer. */
  private news(notes: Annotations, { annotations, changes, told }: Down): Annotations | null {
    if (told === undefined) return annotations && reuse(notes, annotations);
    if (told === this.have) return notes;
    if (told < this.have) return null;
    this.have = told;
    return annotations ? reuse(notes, annotations) : applied(notes, changes as Changes);
  }
}

/** Take what an answer says of the project as a whole: its catalogue, name, place and newest run. */
export function showHead(editor: Editor, down: Down & Elsewhere): void {
  const { name, about, place, saved, elsewhere = false, height, fault = null } = down;
  if (down.catalogue) editor.set({ catalogue: new Catalogue(down.catalogue) });
  editor.set({ name, about, place, saved, elsewhere, height, fault: equal(editor.state.fault, fault) ? editor.state.fault : fault });
}

/** Show the drawing of an answer, if it is another one than ours; `replaces` ours, which undo brings back. */
export function showDrawing(editor: Editor, down: Down, replaces: boolean): void {
  const { catalogue, whole } = editor.state;
  if (!down.graph) return;
  const next = read(editor, down.graph, down);
  editor.set({ strange: readNotes(down.notes ?? [], next.graph).strange });
  if (!replaces || !alike(next, whole, catalogue)) {
    editor.load(next, replaces);
    editor.lookAt([], true);
  }
  editor.set({ told: [editor.state.whole] });
}

const read = ({ state: { catalogue } }: Editor, graph: GraphJson, { layout, notes }: Down): Drawing =>
  withPlaces(fromWire(graph, catalogue), layout ?? {}, notes ?? []);

const LAST = 20;

/** Whether the drawing of an answer is one that ours came from, and not ours. */
export function isEarlier(editor: Editor, { graph }: Down): boolean {
  const { whole, past, told, catalogue } = editor.state;
  if (!graph) return false;
  const theirs = toWire(fromWire(graph, catalogue), catalogue);
  const same = (drawing: Drawing) => equal(toWire(drawing.graph, catalogue), theirs);
  return !same(whole) && [...told, ...past.slice(-LAST)].some(same);
}

/** Whether an answer holds a drawing, places and notes included, that this tab never had. */
export function isStrange(editor: Editor, down: Down): boolean {
  const { whole, past, told, catalogue } = editor.state;
  if (!down.graph) return false;
  const theirs = read(editor, down.graph, down);
  return ![whole, ...told, ...past.slice(-LAST)].some((drawing) => alike(theirs, drawing, catalogue));
}

/** The state of the conversation in one word. tries: how often the last message was sent again. */
export function statusOf({ state }: Editor, waiting: boolean, tries: number): Status {
  const { loaded, rev, ackRev, semRev, annRev, refusal, notes } = state;
  if (refusal) return "refused";
  if (!loaded) return "loading";
  if (tries > 0) return "offline";
  if (annRev < semRev || (ackRev < rev && waiting)) return "checking";
  return notes.failed ? "failed" : "checked";
}
