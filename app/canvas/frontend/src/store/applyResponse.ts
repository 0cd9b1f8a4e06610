/** What an answer of Python says: annotations, of which only the changes come, or another drawing. */

import { Catalogue } from "../model/catalogue";
import type { Drawing } from "../model/drawing";
import { fromWire, toWire } from "../model/graph";
import { readNotes } from "../model/notes";
import { withPlaces } from "../model/scope";
import type { Annotations, AnnotationDelta, Down, GraphJson } from "../protocol";
import { applyDelta } from "./annotationDelta";
import { equal, reuse } from "./annotations";
import type { Editor } from "./editor";
import { sameDrawing } from "./rescue";
import type { Status } from "./slices/sync";

export class AnnotationReceiver {
  /** Number of the annotations held; 0 asks for all of them. */
  have = 0;

  /** Show the annotations of an answer; false when they build on some that are not held here. */
  receive(editor: Editor, down: Down): boolean {
    const { annRev, annotations: held, source } = editor.state;
    const { told, annotations, changes } = down;
    if (down.annRev < annRev) return true;
    if (told > this.have && !annotations && changes?.base !== this.have) {
      this.have = 0;
      return false;
    }
    const next = this.news(held, down);
    if (next)
      editor.set({
        annotations: next,
        annRev: down.annRev,
        source: next.source ?? source,
        sourceOld: next.source === null,
      });
    return true;
  }

  /** The annotations after an answer; null when it has none that are newer. */
  private news(held: Annotations, { annotations, changes, told }: Down): Annotations | null {
    if (told === this.have) return held;
    if (told < this.have) return null;
    this.have = told;
    return annotations ? reuse(held, annotations) : applyDelta(held, changes as AnnotationDelta);
  }
}

/** Take what an answer says of the project as a whole: its catalogue, name, place and newest run. */
export function applyHead(editor: Editor, down: Down): void {
  const { name, about, place, saved, ways, acts, elsewhere, unkept, height, fault, input, trained } = down;
  if (down.catalogue) editor.set({ catalogue: new Catalogue(down.catalogue) });
  editor.set({
    name,
    about,
    place,
    saved,
    ways: equal(editor.state.ways, ways) ? editor.state.ways : ways,
    acts: equal(editor.state.acts, acts) ? editor.state.acts : acts,
    elsewhere,
    unkept,
    height,
    trained,
    fault: equal(editor.state.fault, fault) ? editor.state.fault : fault,
    firstInput: equal(editor.state.firstInput, input) ? editor.state.firstInput : input,
  });
}

/** Show the drawing of an answer, if it is another one than ours; `replaces` ours, which undo brings back. */
export function applyDrawing(editor: Editor, down: Down, replaces: boolean): void {
  const { catalogue, whole } = editor.state;
  if (!down.graph) return;
  const next = read(editor, down.graph, down);
  editor.set({ unknownNotes: readNotes(down.notes ?? [], next.graph).strange });
  if (!replaces || !sameDrawing(next, whole, catalogue)) {
    editor.load(next, replaces);
    editor.lookAt([], true);
  }
  editor.set({ sentDrawings: [editor.state.whole] });
}

const read = ({ state: { catalogue } }: Editor, graph: GraphJson, { layout, notes }: Down): Drawing =>
  withPlaces(fromWire(graph, catalogue), layout ?? {}, notes ?? []);

const LAST = 20;

/** Whether the drawing of an answer is one that ours came from, and not ours. */
export function isEarlier(editor: Editor, { graph }: Down): boolean {
  const { whole, past, sentDrawings, catalogue } = editor.state;
  if (!graph) return false;
  const theirs = toWire(fromWire(graph, catalogue), catalogue);
  const same = (drawing: Drawing) => equal(toWire(drawing.graph, catalogue), theirs);
  return !same(whole) && [...sentDrawings, ...past.slice(-LAST)].some(same);
}

/** Whether an answer holds a drawing, places and notes included, that this tab never had. */
export function isUnknownDrawing(editor: Editor, down: Down): boolean {
  const { whole, past, sentDrawings, catalogue } = editor.state;
  if (!down.graph) return false;
  const theirs = read(editor, down.graph, down);
  return ![whole, ...sentDrawings, ...past.slice(-LAST)].some((drawing) => sameDrawing(theirs, drawing, catalogue));
}

/** The state of the conversation in one word. lost: whether nothing answers any more. */
export function statusOf({ state }: Editor, waiting: boolean, lost: boolean): Status {
  const { loaded, rev, ackRev, semRev, annRev, refusal, annotations } = state;
  if (refusal) return "refused";
  if (!loaded) return "loading";
  if (lost) return "offline";
  if (annRev < semRev || (ackRev < rev && waiting)) return "checking";
  return annotations.failed ? "failed" : "checked";
}
