/** The light on the wires of an open document: asked for with each sample, and set off where the sample is another. */

import { createStore, type StoreApi } from "zustand/vanilla";
import {
  type Flight,
  firstBack,
  flight,
  hasCome,
  lightOf,
  litSoFar,
  MOST_LIT,
  type Strength,
  turnsOf,
  type Way,
  wholePass,
  wordsOf,
} from "../model/light";
import type { StepEvent, Wanted } from "../model/sample";
import type { Magnitudes } from "../protocol";
import type { Editor } from "./editor";
import { type OneSample, sampleStore } from "./oneSample";
import { askOfSample } from "./queries";

/** A drawing of one's own, or a row that is typed, rests for so long before light runs for it. */
const REST_MS = 350;
/** So much lies between two questions while a run trains: each takes a pass from it, and light runs for 2 s. */
const LIVE_MS = 2500;

export interface Light {
  /** By wire; empty while there is none. */
  wires: ReadonlyMap<string, Strength>;
  /** The numbers behind it, in words. */
  words: ReadonlyMap<string, string>;
  /** What runs now, or ran last; another object for each. */
  flight: Flight | null;
  /** Whether it is still under way. */
  flying: boolean;
}

const NONE: Pick<Light, "wires" | "words"> = { wires: new Map(), words: new Map() };
const DARK: Light = { ...NONE, flight: null, flying: false };

interface LightSession {
  store: StoreApi<Light>;
  measured: Magnitudes | null;
  /** The sample that light has run for. */
  shown: string;
  /** When it was asked last. */
  asked: number;
  busy: boolean;
  again: boolean;
  timer: number;
}

const all = new WeakMap<Editor, LightSession>();

function sessionOf(editor: Editor): LightSession {
  let found = all.get(editor);
  if (!found) {
    found = {
      store: createStore<Light>()(() => DARK),
      measured: null,
      shown: "",
      asked: 0,
      busy: false,
      again: false,
      timer: 0,
    };
    all.set(editor, found);
  }
  return found;
}

export const lightStore = (editor: Editor): StoreApi<Light> => sessionOf(editor).store;

/** Keep the light to the sample and the drawing; `still`: nothing moves. The answer to `stop` with the canvas. */
export function watchLight(editor: Editor, still: () => boolean): () => void {
  const here = sessionOf(editor);
  const news = (now: OneSample, before: OneSample) => {
    if (!now.open) return darken(here);
    if (now.steps !== before.steps) stepped(editor, here, before, still);
    if (now.answers !== before.answers && !now.steps) later(editor, here, still);
  };
  const ends = [
    sampleStore(editor).subscribe(news),
    editor.store.subscribe((now, before) => {
      if (now.drawing.graph.edges !== before.drawing.graph.edges || now.path !== before.path) shine(editor, here);
    }),
  ];
  if (sampleStore(editor).getState().looked) later(editor, here, still);
  return () => {
    window.clearTimeout(here.timer);
    for (const end of ends) end();
  };
}

function darken(here: LightSession): void {
  window.clearTimeout(here.timer);
  here.measured = null;
  here.shown = "";
  here.store.setState(DARK);
}

/** Ask once a sample of one's own rests; while epochs are played not at all, while a run trains now and then. */
function later(editor: Editor, here: LightSession, still: () => boolean): void {
  const { wanted, playing, looked } = sampleStore(editor).getState();
  const soon = nameOf(wanted) === here.shown && looked?.time?.live && Date.now() < here.asked + LIVE_MS;
  window.clearTimeout(here.timer);
  if (playing || soon) return;
  here.timer = window.setTimeout(() => void ask(editor, here, still), "own" in wanted ? REST_MS : 0);
}

async function ask(editor: Editor, here: LightSession, still: () => boolean): Promise<void> {
  if (here.busy) {
    here.again = true;
    return;
  }
  if (Object.keys(editor.state.drawing.graph.nodes).length > MOST_LIT) return darken(here);
  const { wanted, epoch } = sampleStore(editor).getState();
  here.asked = Date.now();
  here.busy = true;
  here.again = false;
  const measured = await askOfSample(editor, "magnitudes", { sample: wanted, epoch }).catch(() => null);
  here.busy = false;
  const { open, steps, looked } = sampleStore(editor).getState();
  if (!open || steps) return;
  here.measured = measured; // where there is none, the strip says what is wrong with the same sample
  shine(editor, here);
  const sample = nameOf(wanted);
  if (measured && (sample !== here.shown || looked?.time?.live))
    fly(here, wholePass(edgesOf(editor), lights(here)), still);
  here.shown = sample;
  if (here.again) void ask(editor, here, still);
}

/** What light has run for; on the plane the same whichever block is chosen. */
const nameOf = (wanted: Wanted): string => ("plane" in wanted ? "plane" : JSON.stringify(wanted));
const edgesOf = (editor: Editor) => editor.state.drawing.graph.edges;
const lights = (here: LightSession) => here.store.getState().wires;

/** Give each wire its light, as far as a step has come. */
function shine(editor: Editor, here: LightSession): void {
  if (!here.measured) return here.store.setState(NONE);
  const { path } = editor.state,
    { steps } = sampleStore(editor).getState();
  const whole = lightOf(edgesOf(editor), path, here.measured);
  const wires = steps ? litSoFar(edgesOf(editor), whole, (id, way) => came(steps, path + id, way)) : whole;
  here.store.setState({
    wires: kept(here.store.getState().wires, wires),
    words: wordsOf(edgesOf(editor), path, here.measured),
  });
}

const came = (steps: NonNullable<OneSample["steps"]>, path: string, way: Way): boolean =>
  hasCome(steps.first, backOf(steps.events), steps.at, path, way);

const backs = new WeakMap<readonly StepEvent[], ReadonlyMap<string, number>>();

function backOf(events: readonly StepEvent[]): ReadonlyMap<string, number> {
  let found = backs.get(events);
  if (!found) backs.set(events, (found = firstBack(events)));
  return found;
}

/** The same object for a wire whose light is the same, so that it is not drawn anew. */
function kept(before: ReadonlyMap<string, Strength>, now: Map<string, Strength>): Map<string, Strength> {
  for (const [id, { forward, backward }] of now) {
    const old = before.get(id);
    if (old?.forward === forward && old?.backward === backward && old) now.set(id, old);
  }
  return now;
}

/** A step went on, or back: the light is as far, and runs where it goes on. */
function stepped(editor: Editor, here: LightSession, before: OneSample, still: () => boolean): void {
  const { steps } = sampleStore(editor).getState();
  if (!steps) return shine(editor, here);
  here.measured = steps.magnitudes;
  shine(editor, here);
  const from = before.steps?.events === steps.events ? before.steps.at : -1;
  if (steps.at <= from) return;
  const { path, drawing } = editor.state,
    blocks = Object.keys(drawing.graph.nodes),
    edges = drawing.graph.edges;
  const there = turnsOf(blocks, path, steps.first, from, steps.at);
  const back = turnsOf(blocks, path, backOf(steps.events), from, steps.at);
  const first = flight(edges, lights(here), there, "forward");
  const then = flight(edges, lights(here), back, "backward", there.size ? first.ms : 0);
  const glows = [...(there.size ? first.glows : []), ...(back.size ? then.glows : [])];
  if (glows.length) fly(here, { runs: [...first.runs, ...then.runs], glows, ms: (back.size ? then : first).ms }, still);
}

function fly(here: LightSession, next: Flight, still: () => boolean): void {
  if (!still()) here.store.setState({ flight: next, flying: true });
}

/** The light has come to its end. */
export const landed = (editor: Editor): void => lightStore(editor).setState({ flying: false });
