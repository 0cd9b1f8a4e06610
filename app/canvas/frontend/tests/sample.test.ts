import { expect, test, vi } from "vitest";
import {
  firstRuns,
  hasRun,
  LIGHT,
  type Looked,
  nextEvent,
  percent,
  type Picture,
  pixels,
  short,
  spoken,
  type StepEvent,
  tiles,
} from "../src/model/sample";
import { sampleStore } from "../src/store/oneSample";
import { showRun } from "../src/store/overTime";
import { bench } from "./shared";

const maps = (part: Partial<Picture>): Picture => ({
  kind: "maps",
  shape: [4, 8, 8],
  of: 4,
  low: -2,
  high: 2,
  ...part,
});

test("a value above zero has one colour, one below another, zero shows the card, and what is no number its own", () => {
  const found = pixels(maps({ shape: [1, 1, 4] }), Uint8Array.of(254, 0, 127, 255), 1, LIGHT);
  expect([...found]).toEqual([...LIGHT.plus, 255, ...LIGHT.minus, 255, ...LIGHT.plus, 0, ...LIGHT.none, 255]);
});

test("maps stand beneath each other, as many as are asked for", () => {
  const found = pixels(maps({ shape: [3, 1, 1] }), Uint8Array.of(254, 0, 127), 2, LIGHT);
  expect([...found]).toEqual([...LIGHT.plus, 255, ...LIGHT.minus, 255]);
});

test("an image is shown as it looks, in colour where it has three channels", () => {
  const grey = pixels({ kind: "image", shape: [1, 1, 2] }, Uint8Array.of(0, 254), 1, LIGHT);
  expect([...grey]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
  const colour = pixels({ kind: "image", shape: [3, 1, 1] }, Uint8Array.of(254, 0, 127), 1, LIGHT);
  expect([...colour]).toEqual([255, 0, 128, 255]);
});

test("as many maps stand beside each other as there is room for, one at least", () => {
  expect(tiles(maps({}), 40, 178, 3)).toEqual({ count: 4, width: 40, height: 40 });
  expect(tiles(maps({}), 40, 90, 3).count).toBe(2);
  expect(tiles(maps({}), 58, 178, 3)).toMatchObject({ count: 3, width: 172 / 3 });
  expect(tiles(maps({ shape: [1, 8, 96] }), 40, 178, 3)).toEqual({ count: 1, width: 178, height: 178 / 12 });
});

test("numbers are short, and shares are not rounded to all or nothing", () => {
  expect([0, 1234, -0.14191234, 3.14e-5, 123456.7, "nan"].map(short)).toEqual([
    "0",
    "1234",
    "-0.1419",
    "3.14e-5",
    "1.23e+5",
    "nan",
  ]);
  expect([0, 0.001, 0.5, 0.999, 1].map(percent)).toEqual(["0 %", "< 1 %", "50 %", "> 99 %", "100 %"]);
});

test("a picture is told to those who do not see it", () => {
  expect(spoken(maps({ bad: true }))).toBe("4 maps from -2 to 2, some are not finite");
  expect(spoken({ kind: "bars", values: [1, 2.5] })).toBe("2 values: 1, 2.5");
});

test("a block has its value once a step has come to it, and so has a repeated one", () => {
  const of = (kind: StepEvent["kind"], ...paths: string[]) => paths.map((path): StepEvent => ({ kind, path }));
  const first = firstRuns([
    ...of("forward", "image", "stage.0.conv", "stage.0", "stage.1.conv", "stage.1", "fc"),
    ...of("backward", "fc"),
  ]);
  const ran = (path: string, at: number) => hasRun({ first, at }, path);
  expect(["image", "stage", "stage.0.conv", "fc"].map((path) => ran(path, 0))).toEqual([true, false, false, false]);
  expect(["image", "stage", "stage.conv", "fc"].map((path) => ran(path, 2))).toEqual([true, true, true, false]);
  expect(["fc", "never.ran"].map((path) => ran(path, 6))).toEqual([true, true]);
  expect(hasRun(null, "fc")).toBe(true);
});

test("a debugger goes over a composite, into it, and out of it", () => {
  const of = (kind: StepEvent["kind"], ...paths: string[]) => paths.map((path): StepEvent => ({ kind, path }));
  const events = [
    ...of("forward", "stem", "stage.conv", "stage.relu", "stage", "head"),
    ...of("loss", "logits"),
    ...of("backward", "stage", "stage.relu", "stem"),
  ];
  const go = (from: string, how: "over" | "into" | "out") => {
    const at = nextEvent(
      events,
      events.findIndex((e) => e.path === from),
      how,
    );
    return `${events[at]?.kind} ${events[at]?.path}`;
  };
  expect(go("stem", "over")).toBe("forward stage");
  expect(go("stem", "into")).toBe("forward stage.conv");
  expect(go("stage.conv", "over")).toBe("forward stage.relu");
  expect(go("stage.conv", "out")).toBe("forward stage");
  expect(go("head", "out")).toBe("loss logits");
  expect(nextEvent(events, events.length - 1, "into")).toBe(events.length - 1);
});

test("another run is asked of the page, and shown at once in the choice", () => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  const { editor } = bench(),
    asked: unknown[] = [];
  editor.onAsk = (name, args) => asked.push([name, args]);
  sampleStore(editor).setState({ open: true, epoch: 4, busy: true });
  showRun(editor, "iris-002");
  expect(asked).toEqual([["run", { run: "iris-002" }]]);
  expect(sampleStore(editor).getState()).toMatchObject({ nextRun: "iris-002", epoch: null });
  sampleStore(editor).setState({ looked: { run: "iris-002" } as Looked });
  vi.advanceTimersByTime(400);
  expect(sampleStore(editor).getState().nextRun).toBe("");
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
