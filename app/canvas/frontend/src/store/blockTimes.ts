/** How long each block takes, measured on demand: what was found, when, and whether it still holds. */

import { createStore, type StoreApi } from "zustand/vanilla";
import type { NodeAnnotation } from "../protocol";
import type { Editor } from "./editor";
import { ask, trainingBatch, wholeGraph } from "./queries";

export interface BlockTimes {
  /** By path of the report; `time` is in milliseconds for one forward pass. */
  notes: Record<string, NodeAnnotation>;
  batch: number;
  rounds: number;
  device: string;
  threads: number;
  /** When it was measured, and of which revision of the drawing's meaning; -1 is never. */
  at: Date | null;
  semRev: number;
  busy: boolean;
  trouble: string;
}

const NEVER: BlockTimes = {
  notes: {},
  batch: 0,
  rounds: 0,
  device: "",
  threads: 0,
  at: null,
  semRev: -1,
  busy: false,
  trouble: "",
};
const stores = new WeakMap<Editor, StoreApi<BlockTimes>>();

export function blockTimesStore(editor: Editor): StoreApi<BlockTimes> {
  let store = stores.get(editor);
  if (!store) stores.set(editor, (store = createStore<BlockTimes>()(() => NEVER)));
  return store;
}

/** Run the network as it is drawn now, with the batch size of training. */
export async function measure(editor: Editor): Promise<void> {
  const store = blockTimesStore(editor);
  if (store.getState().busy) return;
  if (editor.state.annotations.errors.length) {
    store.setState({ trouble: "Measuring needs a network without errors." });
    return;
  }
  const semRev = editor.state.semRev;
  store.setState({ busy: true, trouble: "" });
  try {
    const { ms, ...found } = await ask(editor, "timed", { graph: wholeGraph(editor), batch: trainingBatch(editor) });
    const notes = Object.fromEntries(Object.entries(ms).map(([path, time]) => [path, { time }]));
    store.setState({ ...found, notes, at: new Date(), semRev, busy: false });
  } catch (error) {
    store.setState({ busy: false, trouble: error instanceof Error ? error.message : String(error) });
  }
}
