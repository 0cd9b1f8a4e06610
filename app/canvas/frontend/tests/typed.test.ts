import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { search } from "../src/model/catalogue";
import { edgeId } from "../src/model/graph";
import { tidy } from "../src/model/layout";
import { extrasOf, wordsOf } from "../src/model/typed";
import { addTyped, move, removeSelected, selectAll } from "../src/store/editCommands";
import type { Layout } from "../src/protocol";
import { readPreferences } from "../src/store/preferences";
import { bench, blocks, catalogue } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const nodes = { relu1: { block: "ReLU" } };
const specs = (block: string) => blocks[block]?.settings ?? [];
const extras = (block: string, ...more: string[]) => extrasOf(block, specs(block), more);

describe("what is typed", () => {
  test("is a search until a number, a name with a value or the id of a block", () => {
    expect(wordsOf("batch norm", nodes)).toEqual({ query: "batch norm", more: [] });
    expect(wordsOf("conv2d 16 3x5 padding=1", nodes)).toEqual({ query: "conv2d", more: ["16", "3x5", "padding=1"] });
    expect(wordsOf("add relu1", nodes)).toEqual({ query: "add", more: ["relu1"] });
    expect(wordsOf("relu1", nodes)).toEqual({ query: "relu1", more: [] });
    expect(wordsOf("conv 2d", nodes)).toEqual({ query: "conv 2d", more: [] });
  });

  test("numbers are settings in torch's order, without the sizes that the wire decides", () => {
    expect(extras("Conv2d", "32", "5", "2").settings).toEqual({ out_channels: 32, kernel_size: 5, stride: 2 });
    expect(extras("Conv2d", "8", "3x5").settings).toEqual({ out_channels: 8, kernel_size: [3, 5] });
    expect(extras("Input", "1", "8", "8").settings).toEqual({ shape: [1, 8, 8] });
    expect(extras("Conv2d", "8", "pad=same", "bias=False").settings).toEqual({
      out_channels: 8,
      padding: "same",
      bias: false,
    });
  });

  test.each([
    [["Conv2d", "0"], "out_channels: At least 1."],
    [["Conv2d", "depth=3"], "Conv2d has no setting depth."],
    [["ReLU", "3"], "ReLU takes no further number: 3."],
  ])("%j is refused", ([block = "", ...more], trouble) => {
    expect(extras(block, ...more)).toEqual({ settings: {}, from: [], trouble });
  });
});

describe("a network typed in one go", () => {
  function empty() {
    const b = bench();
    selectAll(b.editor);
    removeSelected(b.editor);
    return b;
  }
  const type = (b: ReturnType<typeof bench>, block: string, ...more: string[]) =>
    addTyped(b.editor, block, [0, 0], extras(block, ...more));
  const wires = (b: ReturnType<typeof bench>) => b.editor.state.drawing.graph.edges.map(edgeId);

  test("begins with an Input of its own, and ends in the Output", () => {
    const b = empty();
    for (const block of ["Linear", "ReLU", "Linear", "Output"]) type(b, block);
    expect(wires(b)).toEqual([
      "image.output -> linear1.input",
      "linear1.output -> relu1.input",
      "relu1.output -> linear2.input",
      "linear2.output -> logits.input",
    ]);
  });

  test("has a residual where an id is typed", () => {
    const b = empty();
    for (const block of ["Input", "ReLU", "Conv2d"]) type(b, block);
    type(b, "add", "relu1");
    expect(wires(b)).toContain("conv1.output -> join.input");
    expect(wires(b)).toContain("relu1.output -> join.other");
  });

  test("a wire for which no input is left refuses the block, and changes nothing", () => {
    const b = empty();
    for (const block of ["Input", "ReLU"]) type(b, block);
    const before = b.editor.state.drawing;
    expect(type(b, "Conv2d", "image")).toBe("");
    expect(b.editor.state.drawing).toBe(before);
    expect(b.editor.state.toast?.text).toBe("All inputs of conv1 have a wire: none is left for image.");
  });

  test("goes on from the last block that leads nowhere when none is selected", () => {
    const b = empty();
    for (const block of ["Input", "ReLU"]) type(b, block);
    b.editor.select([]);
    type(b, "Linear");
    expect(wires(b)).toContain("relu1.output -> linear1.input");
  });

  test("stands in rows of three, as tidying up would place it", () => {
    const b = empty();
    for (const block of ["Input", "Linear", "ReLU", "Linear", "ReLU", "Linear", "Output"]) type(b, block);
    const { drawing } = b.editor.state,
      [left, top] = drawing.layout.image ?? [0, 0];
    const from = (layout: Layout) => Object.entries(layout).map(([id, [x, y]]) => [id, x - left, y - top]);
    expect(from(drawing.layout).map(([, x, y]) => [x, y])).toEqual([
      [0, 0],
      [328, 0],
      [656, 0],
      [0, 144],
      [328, 144],
      [656, 144],
      [0, 288],
    ]);
    expect(tidy(drawing, "right", catalogue)).toEqual(
      Object.fromEntries(from(drawing.layout).map(([id, x, y]) => [id, [x, y]])),
    );
  });

  test("stays tidy when a block is put in between, until a hand has moved one", () => {
    const b = empty();
    for (const block of ["Input", "ReLU", "Output"]) type(b, block);
    b.editor.select(["image"]);
    type(b, "Linear");
    const at = () => b.editor.state.drawing.layout;
    expect(
      Object.values(at())
        .map(([x, y]) => [x / 328, y / 144])
        .toSorted(),
    ).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [2, 0],
    ]);
    move(b.editor, { relu1: [900, 400] });
    b.editor.select(["image"]);
    type(b, "Conv2d");
    expect(at().relu1).toEqual([900, 400]);
  });
});

describe("the search for blocks", () => {
  test("means the usual block: Conv2d before Conv1d", () =>
    expect(search(catalogue, "conv")).toEqual(["Conv2d", "Conv1d"]));

  test("shows a setting anew that was stored; what is no setting is as at the first visit", () => {
    expect(readPreferences('{"allBlocks": true, "side": 420}')).toMatchObject({ allBlocks: true, side: 420 });
    for (const text of [null, "", "[]", "null", '{"side": "wide"}', "{"])
      expect(readPreferences(text)).toEqual({
        allBlocks: false,
        side: null,
        scrolling: "auto",
        trackpad: false,
        valuesOff: [],
        moreSettings: false,
      });
  });
});

describe("a block that is selected", () => {
  test("shows its settings whatever tab was open; several, and the same again, leave it", () => {
    const { editor } = bench();
    editor.set({ tab: "problems" });
    editor.select(["conv1", "join"]);
    expect(editor.state.tab).toBe("problems");
    editor.select(["conv1"]);
    expect(editor.state.tab).toBe("block");
    editor.set({ tab: "source" });
    editor.select(["conv1"]);
    expect(editor.state.tab).toBe("source");
  });
});
