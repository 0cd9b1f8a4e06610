/** The project as a file of this computer. */

import type { Editor } from "./editor";
import { projectFile } from "./queries";

const LONGEST_MS = 20_000;

/** Download the project file, once Python has the last edit. */
export async function downloadProject(editor: Editor): Promise<void> {
  try {
    await acknowledged(editor);
    const { name, text } = await projectFile(editor);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), LONGEST_MS);
  } catch (error) {
    editor.notify(error instanceof Error ? error.message : String(error), "error");
  }
}

function acknowledged(editor: Editor): Promise<void> {
  const there = () => editor.state.ackRev >= editor.state.rev;
  if (there()) return Promise.resolve();
  return new Promise((done, failed) => {
    const end = (why?: string) => {
      clearTimeout(late);
      stop();
      why ? failed(new Error(why)) : done();
    };
    const late = setTimeout(() => end("The server has not received the last edits. Try again."), LONGEST_MS);
    const stop = editor.store.subscribe(() => there() && end());
  });
}
