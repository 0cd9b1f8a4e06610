/** A run over time: following it while it trains, moving along its epochs, what marks offer. */

import { type Mark, MOST_FILMED, type Moments, type Remedy, type Time } from "../protocol";
import type { Editor } from "./editor";
import { refresh, sampleStore } from "./oneSample";
import { askOfSample } from "./queries";

/** Milliseconds between two questions: whether there is news of a run that trains, and of none. */
const FOLLOW_MS = 700,
  LOOK_MS = 3000;
/** Between two questions whether the page shows the run that was chosen, and how many there are. */
const RUN_MS = 300,
  TRIES = 40;
/** Between two epochs while it plays. */
const PLAY_MS = 450;

/** Ask now and then whether there is news; the answer to `stop` with the strip. */
export function follow(editor: Editor): () => void {
  const store = sampleStore(editor);
  let timer = 0,
    ended = false;
  const ask = async () => {
    const { looked, epoch, wanted, steps } = store.getState();
    let going = looked?.time?.going;
    if (!document.hidden && !steps) {
      const news = await askOfSample(editor, "moments", { sample: wanted, epoch }).catch(() => null);
      const now = store.getState().looked;
      if (news && now && now === looked && differs(news, now)) refresh(editor);
      going = (news ?? now)?.time?.going; // of a run that began meanwhile, what is shown does not know yet
    }
    if (!ended) timer = window.setTimeout(() => void ask(), going ? FOLLOW_MS : LOOK_MS);
  };
  timer = window.setTimeout(() => void ask(), FOLLOW_MS);
  return () => {
    ended = true;
    window.clearTimeout(timer);
  };
}

/** Whether Python's weights are others than those shown, or the run has more epochs or has ended. */
function differs({ time, weights }: Moments, shown: { time: Time | null; weights: string }): boolean {
  const key = (t: Time | null) => (t ? [t.run, t.going, t.epoch, t.step, t.epochs.length].join() : "");
  return weights !== shown.weights || key(time) !== key(shown.time);
}

/** Ask how the blocks do with the weights that are shown. */
export async function askHealth(editor: Editor): Promise<void> {
  const store = sampleStore(editor);
  const { wanted, epoch, open } = store.getState();
  if (!open) return;
  try {
    const health = await askOfSample(editor, "health", { sample: wanted, epoch });
    if (store.getState().epoch === epoch) store.setState({ health });
  } catch {
    // the strip says what is wrong with the question about the sample, which is the same
  }
}

/** Show the weights after an epoch; null: right now, or the best. */
export function goTo(editor: Editor, epoch: number | null): void {
  const store = sampleStore(editor);
  if (store.getState().epoch === epoch) return;
  store.setState({ epoch, steps: null });
  refresh(editor);
}

/** Show the weights of another run, here and on all pages: the page is asked, and its answer awaited. */
export function showRun(editor: Editor, run: string): void {
  sampleStore(editor).setState({ nextRun: run, epoch: null, steps: null, playing: false });
  editor.onAsk("run", { run });
  awaitRun(editor, run, TRIES);
}

function awaitRun(editor: Editor, run: string, tries: number): void {
  const store = sampleStore(editor),
    { open, looked, nextRun } = store.getState();
  if (nextRun !== run) return;
  if (!open || !tries || looked?.run === run) return store.setState({ nextRun: "" });
  refresh(editor);
  window.setTimeout(() => awaitRun(editor, run, tries - 1), RUN_MS);
}

/** Move along the epochs by itself, from the first where it stands at the end. */
export function play(editor: Editor): void {
  const store = sampleStore(editor);
  const { playing, looked, epoch } = store.getState();
  const epochs = looked?.time?.epochs ?? [];
  if (playing || epochs.length < 2) return store.setState({ playing: false });
  store.setState({ playing: true });
  if (epoch === null || epoch === epochs.at(-1)) goTo(editor, epochs[0] as number);
  window.setTimeout(() => advance(editor), PLAY_MS);
}

/** The next epoch, once the one before is shown; at the end it stays. */
function advance(editor: Editor): void {
  const store = sampleStore(editor);
  const { playing, busy, looked, epoch, open } = store.getState();
  if (!playing || !open) return store.setState({ playing: false });
  const next = looked?.time?.epochs.find((each) => epoch !== null && each > epoch);
  if (!busy && next === undefined) return store.setState({ playing: false });
  if (!busy && next !== undefined) goTo(editor, next);
  window.setTimeout(() => advance(editor), PLAY_MS);
}

/** Change the project as a mark offers, and train it. */
export function take(editor: Editor, mark: Mark, remedy: Remedy): void {
  const run = sampleStore(editor).getState().looked?.run ?? "";
  goTo(editor, null);
  editor.onAsk("remedy", { run, kind: mark.kind, title: remedy.title, changes: remedy.changes });
}

/** Blocks that a film shows: the selected ones, or the first that have a picture. */
export function filmed(editor: Editor): string[] {
  const { looked } = sampleStore(editor).getState();
  const { path, selectedNodes } = editor.state;
  const drawn = Object.keys(looked?.blocks ?? {}).filter((each) => looked?.blocks[each]?.kind !== "words");
  const chosen = drawn.filter((each) => selectedNodes.has(each.slice(path.length)));
  return (chosen.length ? chosen : drawn).slice(0, MOST_FILMED);
}

/** Make a film of the blocks' pictures over all epochs, and hand it to the browser. */
export async function film(editor: Editor, kind: "webp" | "gif"): Promise<void> {
  const store = sampleStore(editor);
  const { wanted, looked } = store.getState();
  try {
    const made = await askOfSample(editor, "film", { sample: wanted, epoch: 0, blocks: filmed(editor), kind });
    const bytes = Uint8Array.from(atob(made.data), (c) => c.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: made.type }));
    link.download = `${looked?.run ?? "film"}.${kind}`;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    store.setState({ trouble: error instanceof Error ? error.message : String(error) });
  }
}
