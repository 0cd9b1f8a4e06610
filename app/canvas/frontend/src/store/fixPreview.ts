/** The fix that is looked at, before it is carried out: drawn over the canvas, never an edit. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { changesOf, type Preview } from "../model/editPreview";
import { Refused } from "../model/graph";
import type { After, Fix } from "../protocol";
import type { Editor } from "./editor";
import { ask, wholeGraph } from "./queries";

export interface FixPreview {
  fix: Fix | null;
  /** Which list of fixes it is looked at in: the same fix may stand in several. */
  list: string;
  preview: Preview | null;
  after: After | null;
  /** Why it is not known what comes after; "" while it is, or is asked for. */
  trouble: string;
}

const NOTHING: FixPreview = { fix: null, list: "", preview: null, after: null, trouble: "" };
const WAIT_MS = 150;
const stores = new WeakMap<Editor, StoreApi<FixPreview>>();
let waiting: ReturnType<typeof setTimeout> | undefined;

export function fixPreviewStore(editor: Editor): StoreApi<FixPreview> {
  let store = stores.get(editor);
  if (!store) stores.set(editor, (store = createStore<FixPreview>()(() => NOTHING)));
  return store;
}

/** Look at a fix; null ends it. */
export function lookAtFix(editor: Editor, fix: Fix | null, list = ""): void {
  const store = fixPreviewStore(editor);
  if (store.getState().fix === fix && store.getState().list === list) return;
  clearTimeout(waiting);
  store.setState({ ...NOTHING, fix, list, preview: fix && previewOf(editor, fix) }, true);
  if (fix) waiting = setTimeout(() => void learn(editor, fix), WAIT_MS);
}

function previewOf(editor: Editor, fix: Fix): Preview | null {
  try {
    return changesOf(editor.state.whole, fix.edits, editor.state.catalogue);
  } catch (error) {
    if (error instanceof Refused) return null; // the drawing has moved on; a click says why
    throw error;
  }
}

async function learn(editor: Editor, fix: Fix): Promise<void> {
  const store = fixPreviewStore(editor);
  const still = () => store.getState().fix === fix;
  try {
    const after = await ask(editor, "after", { graph: wholeGraph(editor), edits: fix.edits });
    if (still()) store.setState({ after });
  } catch (error) {
    if (still()) store.setState({ trouble: error instanceof Error ? error.message : String(error) });
  }
}
