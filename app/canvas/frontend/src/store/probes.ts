/** Wires that are kept in sight, and their numbers for the clipboard. */

import { sameSpot, type Spot } from "../model/sample";
import type { Editor } from "./editor";
import { sampleStore } from "./oneSample";
import { askOfSample } from "./queries";

const MOST = 6;

export function pin(editor: Editor, spot: Spot): void {
  const { pinned } = sampleStore(editor).getState();
  if (pinned.length >= MOST) return editor.notify(`${MOST} wires are pinned already; unpin one first.`, "error");
  sampleStore(editor).setState({ pinned: [...pinned, spot] });
}

export function unpin(editor: Editor, spot: Spot): void {
  const { pinned } = sampleStore(editor).getState();
  sampleStore(editor).setState({ pinned: pinned.filter((other) => !sameSpot(other, spot)) });
}

/** Copy a value, or its gradient, as a text that NumPy reads. */
export async function copyNumbers(editor: Editor, spot: Spot, gradient: boolean): Promise<void> {
  const { wanted, epoch } = sampleStore(editor).getState();
  await copied(
    editor,
    async () =>
      (await askOfSample(editor, "numpy", { sample: wanted, epoch, path: spot.path, port: spot.port, gradient })).text,
  );
}

/** Put lines of Python on the clipboard. */
export async function copyLines(editor: Editor, lines: string): Promise<void> {
  await copied(editor, async () => lines);
}

async function copied(editor: Editor, text: () => Promise<string>): Promise<void> {
  try {
    await navigator.clipboard.writeText(await text());
    editor.notify("Copied: paste it into Python.");
  } catch (error) {
    const refused = error instanceof DOMException;
    editor.notify(
      refused ? "This browser does not let the page copy." : error instanceof Error ? error.message : String(error),
      "error",
    );
  }
}
