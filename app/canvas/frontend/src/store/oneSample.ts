/** One sample through the drawing: which it is, what Python said of it, and when to ask again. */

import { createStore, type StoreApi } from "zustand/vanilla";
import type { AutogradGraph } from "../model/autograd";
import { type Health, NO_HEALTH } from "../model/health";
import type { Looked, Own, Part, Spot, StepEvent, Wanted } from "../model/sample";
import type { Magnitudes } from "../protocol";
import type { Editor } from "./editor";
import { preferValues, wantsValues } from "./preferences";
import { askOfSample, Unanswered } from "./queries";

export interface OneSample {
  open: boolean;
  wanted: Wanted;
  /** The answer that is shown; blocks by path. */
  looked: Looked | null;
  /** How many answers there were. */
  answers: number;
  /** Why there is no newer answer; "" when there is. */
  trouble: string;
  /** The page that mends it; "" for none. */
  mend: "data" | "";
  /** Whether a sample of one's own is being made. */
  making: boolean;
  /** Whether the plane is to be shown instead of a sample, where the data is one. */
  planeFirst: boolean;
  busy: boolean;
  /** The epoch whose weights are shown; null: right now, or the best. */
  epoch: number | null;
  /** The run that was chosen and is not shown yet; "" for none. */
  nextRun: string;
  /** Whether the slider moves by itself. */
  playing: boolean;
  health: Health;
  /** Wires that are kept in sight. */
  pinned: readonly Spot[];
  /** The step that is gone through, and where it stands. */
  steps: {
    events: readonly StepEvent[];
    /** When each block has run first. */
    first: ReadonlyMap<string, number>;
    optimizer: string;
    graph: AutogradGraph;
    magnitudes: Magnitudes;
    at: number;
  } | null;
}

const CLOSED: OneSample = {
  open: false,
  wanted: { part: "validation", index: 0 },
  looked: null,
  answers: 0,
  trouble: "",
  mend: "",
  making: false,
  planeFirst: false,
  busy: false,
  epoch: null,
  nextRun: "",
  playing: false,
  health: NO_HEALTH,
  pinned: [],
  steps: null,
};

interface SampleSession {
  store: StoreApi<OneSample>;
  /** Whether something changed since the question that is under way. */
  again: boolean;
  /** Whether the drawing was offered to open with its values. */
  offered: boolean;
}

const all = new WeakMap<Editor, SampleSession>();

function sessionOf(editor: Editor): SampleSession {
  let found = all.get(editor);
  if (!found) {
    found = { store: createStore<OneSample>()(() => CLOSED), again: false, offered: false };
    all.set(editor, found);
    editor.store.subscribe((now, before) => {
      if (now.annRev !== before.annRev || now.path !== before.path || now.annotations !== before.annotations)
        refresh(editor);
      if (now.selectedNodes !== before.selectedNodes || now.path !== before.path) seeUnits(editor);
      if (now.selectedEdges !== before.selectedEdges && now.selectedEdges.size === 1 && found?.store.getState().open)
        editor.set({ tab: "block" });
    });
  }
  return found;
}

export const sampleStore = (editor: Editor): StoreApi<OneSample> => sessionOf(editor).store;

/** Ask for what is shown; while one question is under way, only the newest of those after it is asked. */
export function refresh(editor: Editor): void {
  const here = sessionOf(editor);
  if (!here.store.getState().open) return;
  if (here.store.getState().busy) here.again = true;
  else void ask(editor, here);
}

async function ask(editor: Editor, here: SampleSession): Promise<void> {
  here.again = false;
  here.store.setState({ busy: true });
  const { wanted, epoch } = here.store.getState();
  try {
    const looked = await askOfSample(editor, "look", { sample: wanted, epoch, within: editor.state.path });
    if (turnsToPlane(editor, here, looked)) return;
    here.store.setState({ looked, trouble: "", mend: "", answers: here.store.getState().answers + 1 });
  } catch (error) {
    here.store.setState({
      trouble: error instanceof Error ? error.message : String(error),
      mend: error instanceof Unanswered ? error.ask : "",
    });
  }
  here.store.setState({ busy: false });
  if (here.again) refresh(editor);
}

/** After a training the first answer may say that there is a plane: then that is asked for, and shown first. */
function turnsToPlane(editor: Editor, here: SampleSession, looked: Looked): boolean {
  const { planeFirst, wanted, open } = here.store.getState();
  if (!planeFirst) return false;
  here.store.setState({ planeFirst: false, busy: false });
  if (!open || !looked.ways.plane || "plane" in wanted) return false;
  here.store.setState({ wanted: { plane: unitsOf(editor) } });
  refresh(editor);
  return true;
}

/** Open a trained drawing with its values, once, unless they were turned off in this project. */
export function openTrained(editor: Editor): void {
  const here = sessionOf(editor);
  if (here.offered || here.store.getState().open || !wantsValues(editor.doc)) return;
  here.offered = true;
  here.store.setState({ open: true, planeFirst: true });
  refresh(editor);
}

/** Turn values on or off, and remember it of this project. */
export function toggleSample(editor: Editor): void {
  const here = sessionOf(editor),
    { store } = here;
  here.offered = true;
  preferValues(editor.doc, !store.getState().open);
  if (store.getState().open)
    store.setState({
      open: false,
      looked: null,
      trouble: "",
      steps: null,
      epoch: null,
      playing: false,
      health: NO_HEALTH,
    });
  else {
    store.setState({ open: true });
    refresh(editor);
  }
}

function request(editor: Editor, part: Partial<OneSample>): void {
  sessionOf(editor).store.setState({ steps: null, ...part }); // a step is of its sample
  refresh(editor);
}

/** Go on by so many samples, round and round. */
export function step(editor: Editor, by: number): void {
  const { looked, wanted } = sessionOf(editor).store.getState();
  const index = "index" in wanted ? wanted.index : 0,
    count = looked?.count || index + 1;
  request(editor, { wanted: { part: partOf(wanted), index: (index + by + count) % count } });
}

export function random(editor: Editor): void {
  const { looked, wanted } = sessionOf(editor).store.getState();
  const now = "index" in wanted ? wanted.index : -1,
    count = looked?.count ?? 1;
  const other = Math.floor(Math.random() * Math.max(1, count - 1));
  request(editor, { wanted: { part: partOf(wanted), index: count > 1 && other >= now ? other + 1 : other } });
}

export const partOf = (wanted: Wanted): Part => ("part" in wanted ? wanted.part : "validation");

export function choose(editor: Editor, part: Part, index: number): void {
  request(editor, { wanted: { part, index } });
}

export function showOwn(editor: Editor, given: Own): void {
  request(editor, { wanted: { own: given } });
}

/** Look at the plane of two columns, or go back to single samples. */
export function lookAtPlane(editor: Editor, on: boolean): void {
  if (on) editor.set({ tab: "block" });
  request(editor, {
    making: false,
    trouble: "",
    wanted: on ? { plane: unitsOf(editor) } : { part: "validation", index: 0 },
  });
}

/** The block whose units are asked for: the one that is selected alone. */
function unitsOf({ state: { selectedNodes, path } }: Editor): string {
  return selectedNodes.size === 1 ? path + [...selectedNodes][0] : "";
}

function seeUnits(editor: Editor): void {
  const { wanted, open } = sessionOf(editor).store.getState();
  if (open && "plane" in wanted && wanted.plane !== unitsOf(editor))
    request(editor, { wanted: { plane: unitsOf(editor) } });
}

/** Begin to make a sample of one's own, or go back to those of the data. */
export function make(editor: Editor, making: boolean): void {
  if (making) sessionOf(editor).store.setState({ making });
  else request(editor, { making, trouble: "", wanted: { part: "validation", index: 0 } });
}
