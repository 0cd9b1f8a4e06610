/** Light on the wires: how strong it is, in which order it comes, and that a step goes on where it stood. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Edge } from "../src/model/drawing";
import {
  carried,
  firstBack,
  flight,
  hasCome,
  layersOf,
  lightOf,
  litSoFar,
  MOST_LIT,
  strengths,
  turnsOf,
  wholePass,
  wordsOf,
} from "../src/model/light";
import { edgeId } from "../src/model/graph";
import { firstRuns, type StepEvent } from "../src/model/sample";
import { asPath, beside, coverOf, partOf, placeAt, threads, trackOf, widthOf } from "../src/model/strand";
import type { Magnitudes } from "../src/protocol";
import { lightStore, watchLight } from "../src/store/light";
import { sampleStore } from "../src/store/oneSample";
import { setQueryContext } from "../src/store/queries";
import { bench, Python } from "./shared";

const wire = (source: string, target: string): Edge => ({ source, sourcePort: "output", target, targetPort: "input" });
/** A residual block: the sum waits for both ways. */
const EDGES = [
  wire("image", "conv"),
  wire("conv", "relu"),
  wire("relu", "add"),
  wire("image", "add"),
  wire("add", "logits"),
];
const id = (source: string, target: string) => edgeId(wire(source, target));
const of = (numbers: Record<string, number | null>) =>
  Object.fromEntries(Object.entries(numbers).map(([path, value]) => [path, { output: value }]));
const MEASURED: Magnitudes = {
  forward: of({ image: 0.1, conv: 1, relu: 0.001, add: 1 }),
  backward: of({ conv: 1e-6, relu: 1e-3, add: 1e-3 }),
};
const rounded = (all: ReadonlyMap<string, number>) => [...all.values()].map((v) => Number(v.toFixed(3)));

test("a tenth of the largest value has half the light, a hundredth none; back it is a third less for each ten", () => {
  const values = new Map(Object.entries({ a: 2, b: 0.2, c: 0.02, d: 0.00002, e: 0 }));
  expect(rounded(strengths(values, "forward"))).toEqual([1, 0.5, 0, 0, 0]);
  expect(rounded(strengths(values, "backward"))).toEqual([1, 0.667, 0.333, 0, 0]);
});

test("whole numbers have light of no size, and the -1e9 of a mask is no measure for others", () => {
  const values = new Map<string, number | null>([
    ["tokens", null],
    ["mask", 4.5e8],
    ["a", 1],
    ["b", 0.1],
  ]);
  expect(rounded(strengths(values, "forward"))).toEqual([0.5, 1, 1, 0.5]);
});

test("a network that is 0 everywhere has threads without strength", () => {
  expect(rounded(strengths(new Map([["a", 0]]), "forward"))).toEqual([0]);
  expect(strengths(new Map(), "backward").size).toBe(0);
});

test("a wire carries the number of the output it comes from, by its path in the report", () => {
  const inside = { ...MEASURED, forward: { "stage1.0.conv": { output: 3 }, conv: { output: 4 } } };
  expect([...carried([wire("conv", "relu")], "stage1.0.", inside, "forward")]).toEqual([[id("conv", "relu"), 3]]);
  const light = lightOf(EDGES, "", MEASURED);
  expect(light.get(id("image", "conv"))).toEqual({ forward: 0.5 });
  expect(light.get(id("image", "add"))).toEqual({ forward: 0.5 });
  expect(light.get(id("conv", "relu"))).toEqual({ forward: 1, backward: 0 });
});

test("who points at a wire reads its numbers", () => {
  const words = wordsOf(EDGES, "", { ...MEASURED, forward: { ...MEASURED.forward, image: { output: null } } });
  expect(Object.fromEntries(words)).toEqual({
    [id("conv", "relu")]: "mean |value| 1, mean |gradient| 1.00e-6",
    [id("relu", "add")]: "mean |value| 0.001, mean |gradient| 0.001",
    [id("add", "logits")]: "mean |value| 1, mean |gradient| 0.001",
  });
});

test("a block is in the layer after the last that leads to it, from either end", () => {
  expect(Object.fromEntries(layersOf(EDGES, "forward"))).toEqual({ image: 0, conv: 1, relu: 2, add: 3, logits: 4 });
  expect(Object.fromEntries(layersOf(EDGES, "backward"))).toEqual({ logits: 0, add: 1, relu: 2, conv: 3, image: 4 });
});

test("light runs layer by layer, and along a skip for as long as its other way takes", () => {
  const { runs, ms } = wholePass(EDGES, lightOf(EDGES, "", { ...MEASURED, backward: {} }));
  expect(runs.map(({ wire, from, to }) => [wire, from, to])).toEqual([
    [id("image", "conv"), 0, 170],
    [id("conv", "relu"), 170, 340],
    [id("relu", "add"), 340, 510],
    [id("image", "add"), 0, 510],
    [id("add", "logits"), 510, 680],
  ]);
  expect(ms).toBe(680);
});

test("what comes back begins at the loss, after the way there, and ends where nothing is learned", () => {
  const whole = wholePass(EDGES, lightOf(EDGES, "", MEASURED));
  const back = whole.runs.filter(({ way }) => way === "backward");
  expect(back.map(({ wire, from, to }) => [wire, from, to])).toEqual([
    [id("conv", "relu"), 1140, 1310],
    [id("relu", "add"), 970, 1140],
    [id("add", "logits"), 800, 970],
  ]);
  expect(whole.ms).toBe(1310);
});

test("LeNet, with 13 layers, takes two seconds there and back", () => {
  const names = Array.from({ length: 14 }, (_, i) => `b${i}`);
  const edges = names.slice(1).map((name, i) => wire(names[i] as string, name));
  const one = of(Object.fromEntries(names.map((name) => [name, 1])));
  const { runs, ms } = wholePass(edges, lightOf(edges, "", { forward: one, backward: one }));
  expect(ms).toBe(950 + 120 + 950);
  expect(runs).toHaveLength(26);
});

test("a block is as bright as what leaves it, an Output as what comes to it", () => {
  const { glows } = wholePass(EDGES, lightOf(EDGES, "", { ...MEASURED, backward: {} }));
  const inTime = glows.toSorted((a, b) => a.at - b.at);
  expect(inTime.map(({ block, at, strength }) => [block, at, strength])).toEqual([
    ["image", 0, 0.5],
    ["conv", 170, 1],
    ["relu", 340, 0],
    ["add", 510, 1],
    ["logits", 680, 1],
  ]);
});

const EVENTS: StepEvent[] = [
  { kind: "forward", path: "image" },
  { kind: "forward", path: "conv" },
  { kind: "forward", path: "relu" },
  { kind: "forward", path: "add" },
  { kind: "loss", path: "logits" },
  { kind: "backward", path: "logits" },
  { kind: "backward", path: "add" },
  { kind: "backward", path: "relu" },
];
const FIRST = firstRuns(EVENTS),
  BACK = firstBack(EVENTS);
const lit = (at: number) =>
  Object.fromEntries(
    litSoFar(EDGES, lightOf(EDGES, "", MEASURED), (block, way) => hasCome(FIRST, BACK, at, block, way)),
  );

test("while a step stands, threads reach as far as it has come", () => {
  expect(Object.keys(lit(1))).toEqual([id("image", "conv")]);
  expect(lit(1)[id("image", "conv")]).toEqual({ forward: 0.5 });
  expect(Object.keys(lit(2))).toEqual([id("image", "conv"), id("conv", "relu")]);
  expect(lit(6)[id("add", "logits")]).toEqual({ forward: 1, backward: 1 });
  expect(lit(6)[id("relu", "add")]).toEqual({ forward: 0 });
  expect(lit(7)[id("relu", "add")]).toEqual({ forward: 0, backward: 1 });
});

test("a step over several events passes their blocks one after the other", () => {
  const blocks = ["image", "conv", "relu", "add", "logits"];
  expect(Object.fromEntries(turnsOf(blocks, "", FIRST, 0, 2))).toEqual({ conv: 1, relu: 2 });
  expect(Object.fromEntries(turnsOf(blocks, "", BACK, 4, 6))).toEqual({ logits: 1, add: 2 });
  const { runs } = flight(EDGES, lightOf(EDGES, "", MEASURED), new Map([["add", 1]]), "forward");
  expect(runs.map(({ wire, from, to }) => [wire, from, to])).toEqual([
    [id("relu", "add"), 0, 170],
    [id("image", "add"), 0, 170],
  ]);
});

test("threads lie beside each other, wider and stronger with the number; one alone lies in the middle", () => {
  const line = [
    [0, 0],
    [10, 0],
  ] as const;
  expect(threads(line, true)).toEqual({
    forward: [
      [0, -1.9],
      [10, -1.9],
    ],
    backward: [
      [0, 1.9],
      [10, 1.9],
    ],
  });
  expect(asPath(threads(line, false).forward)).toBe("M0.0,0.0L10.0,0.0");
  expect([0, 0.5, 1].map((s) => Number(widthOf(s).toFixed(2)))).toEqual([0.8, 2.2, 3.6]);
  expect([0, 1].map(coverOf)).toEqual([0.3, 1]);
  const corner = beside(
    [
      [0, 0],
      [10, 0],
      [10, 10],
    ],
    2,
  );
  expect(corner.map((p) => p.map(Math.round))).toEqual([
    [0, -2],
    [11, -1],
    [12, 10],
  ]);
});

test("a place on a track, and a part of it, follow its corners", () => {
  const track = trackOf([
    [0, 0],
    [10, 0],
    [10, 10],
  ]);
  expect(track.length).toBe(20);
  expect([-1, 4, 10, 13, 99].map((far) => placeAt(track, far))).toEqual([
    [0, 0],
    [4, 0],
    [10, 0],
    [10, 3],
    [10, 10],
  ]);
  expect(partOf(track, 4, 13)).toEqual([
    [4, 0],
    [10, 0],
    [10, 3],
  ]);
});

const forward = of({ image: 1, conv1: 0.1 });

/** A canvas whose Python tells the same numbers of every sample. */
function lamp(still = false) {
  const python = new Python();
  const { editor } = bench(python),
    asked: [unknown, unknown][] = [];
  setQueryContext(editor, python.down());
  vi.stubGlobal("document", { baseURI: "http://here/" });
  vi.stubGlobal("fetch", async (url: URL, { body }: { body: string }) => {
    asked.push([url.pathname.split("/").at(-1), JSON.parse(body).sample]);
    return { ok: true, json: async () => ({ forward, backward: {} }) };
  });
  const stop = watchLight(editor, () => still);
  const light = lightStore(editor),
    sample = sampleStore(editor);
  const look = async (wanted: unknown, more = {}) => {
    sample.setState({ open: true, wanted, looked: {}, answers: sample.getState().answers + 1, ...more } as never);
    await vi.advanceTimersByTimeAsync(400);
  };
  return { editor, asked, light, sample, look, stop };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const FIRST_SAMPLE = { part: "validation", index: 0 };

test("light runs for another sample, not for other weights, and is gone with the strip", async () => {
  const { light, sample, look, asked, stop } = lamp();
  await look(FIRST_SAMPLE);
  const first = light.getState().flight;
  expect(first?.runs.length).toBeGreaterThan(0);
  light.setState({ flying: false });
  await look(FIRST_SAMPLE, { epoch: 3 });
  expect(light.getState()).toMatchObject({ flight: first, flying: false });
  await look({ part: "validation", index: 1 });
  expect(light.getState().flying).toBe(true);
  expect(light.getState().flight).not.toBe(first);
  expect(asked.map(([question]) => question)).toEqual(["magnitudes", "magnitudes", "magnitudes"]);
  sample.setState({ open: false });
  expect(light.getState()).toMatchObject({ flying: false, flight: null });
  expect(light.getState().wires.size).toBe(0);
  stop();
});

test("who wants less motion has the threads, and nothing that runs", async () => {
  const { light, look, stop } = lamp(true);
  await look(FIRST_SAMPLE);
  expect(light.getState().wires.size).toBeGreaterThan(0);
  expect(light.getState()).toMatchObject({ flying: false, flight: null });
  stop();
});

test("while epochs are played, and in a drawing of very many blocks, nothing is asked", async () => {
  const { editor, light, look, asked, stop } = lamp();
  await look(FIRST_SAMPLE, { playing: true });
  expect(asked).toEqual([]);
  const nodes = Object.fromEntries(Array.from({ length: MOST_LIT + 1 }, (_, i) => [`r${i}`, { block: "ReLU" }]));
  editor.set({ drawing: { graph: { nodes, edges: [] }, layout: {}, notes: [] } });
  await look(FIRST_SAMPLE, { playing: false });
  expect(asked).toEqual([]);
  expect(light.getState().wires.size).toBe(0);
  stop();
});

test("a step on runs along the wires to its block, a step back does not", async () => {
  const { light, sample, look, stop } = lamp();
  const events: StepEvent[] = [
    { kind: "forward", path: "image" },
    { kind: "forward", path: "conv1" },
  ];
  const steps = { events, first: firstRuns(events), optimizer: "SGD", magnitudes: { forward, backward: {} }, at: 0 };
  await look(FIRST_SAMPLE);
  light.setState({ flying: false });
  sample.setState({ steps } as never);
  light.setState({ flying: false });
  sample.setState({ steps: { ...steps, at: 1 } } as never);
  const { flight: there, flying } = light.getState();
  expect(flying).toBe(true);
  expect(there?.runs.map(({ wire }) => wire)).toEqual(["image.output -> conv1.input"]);
  expect(there?.glows.map(({ block }) => block)).toEqual(["conv1"]);
  light.setState({ flying: false });
  sample.setState({ steps } as never);
  expect(light.getState().flying).toBe(false);
  expect(light.getState().wires.has("image.output -> conv1.input")).toBe(false);
  stop();
});

test("while a run trains light runs again and again, with pauses for the training", async () => {
  const { light, look, asked, stop } = lamp();
  const live = { looked: { time: { live: true } } };
  await look(FIRST_SAMPLE, live);
  const first = light.getState().flight;
  await look(FIRST_SAMPLE, live); // 400 ms later
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2000);
  await look(FIRST_SAMPLE, live);
  expect(asked).toHaveLength(2);
  expect(light.getState().flight).not.toBe(first);
  stop();
});
