/** Questions about the selected blocks by themselves. */

import type { Calculated, Feed } from "../model/part";
import type { Wanted } from "../model/sample";
import type { Editor } from "./editor";
import { sampleStore } from "./oneSample";
import { askOfSample } from "./queries";

/** The sample that goes through the drawing, and the epoch of the weights; the first of the data while none does. */
export function sampleOf(editor: Editor): { sample: Wanted; epoch: number | null } {
  const { open, wanted, epoch } = sampleStore(editor).getState();
  const none = !open || "plane" in wanted;
  return { sample: none ? { part: "validation", index: 0 } : wanted, epoch: open ? epoch : null };
}

/** What the blocks calculate. Throws an Error whose message is a sentence for the student. */
export function calculate(editor: Editor, blocks: readonly string[], feed: Feed): Promise<Calculated> {
  return askOfSample(editor, "part", { ...sampleOf(editor), within: editor.state.path, blocks, feed });
}
