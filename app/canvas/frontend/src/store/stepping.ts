/** One training step on the sample, event by event. */

import { firstRuns, nextEvent } from "../model/sample";
import type { Editor } from "./editor";
import { sampleStore, toggleSample } from "./oneSample";
import { askOfSample } from "./queries";

/** Ask for the events of a step and show the first. */
export async function beginSteps(editor: Editor): Promise<void> {
  const store = sampleStore(editor);
  if (!store.getState().open) toggleSample(editor);
  try {
    const told = await askOfSample(editor, "step", { sample: store.getState().wanted, epoch: store.getState().epoch });
    store.setState({ steps: { ...told, first: firstRuns(told.events), at: 0 }, trouble: "" });
    showEvent(editor, 0);
  } catch (error) {
    store.setState({ trouble: error instanceof Error ? error.message : String(error) });
  }
}

export const endSteps = (editor: Editor): void => sampleStore(editor).setState({ steps: null });

/** Go to an event: its block is selected and brought into view, opening what it stands in. */
export function showEvent(editor: Editor, at: number): void {
  const { steps } = sampleStore(editor).getState();
  const event = steps?.events[at];
  if (!steps || !event) return;
  sampleStore(editor).setState({ steps: { ...steps, at } });
  showBlock(editor, event.path);
}

/** Select a block and bring it into view; the autograd graph stays beside it. */
export function showBlock(editor: Editor, path: string): void {
  const { tab } = editor.state;
  editor.show(path);
  if (tab === "autograd") editor.set({ tab });
}

/** Go on as a debugger does; the first press begins. */
export function stepOn(editor: Editor, how: "over" | "into" | "out"): void {
  const { steps } = sampleStore(editor).getState();
  if (steps) showEvent(editor, nextEvent(steps.events, steps.at, how));
  else void beginSteps(editor);
}
