/** One training step on the sample, event by event. */

import { nextEvent, type StepEvent } from "../model/sample";
import type { Editor } from "./editor";
import { sampleStore, toggleSample } from "./oneSample";
import { askOfSample } from "./queries";

interface Told {
  events: StepEvent[];
  optimizer: string;
}

/** Ask for the events of a step and show the first. */
export async function beginSteps(editor: Editor): Promise<void> {
  const store = sampleStore(editor);
  if (!store.getState().open) toggleSample(editor);
  try {
    const { events, optimizer } = await askOfSample<Told>(editor, "step", { sample: store.getState().wanted });
    store.setState({ steps: { events, optimizer, at: 0 }, trouble: "" });
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
  editor.show(event.path);
}

/** Go on as a debugger does; the first press begins. */
export function stepOn(editor: Editor, how: "over" | "into" | "out"): void {
  const { steps } = sampleStore(editor).getState();
  if (steps) showEvent(editor, nextEvent(steps.events, steps.at, how));
  else void beginSteps(editor);
}
