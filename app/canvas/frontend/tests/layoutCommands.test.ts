import { describe, expect, test } from "vitest";
import { align, distribute } from "../src/model/align";
import { alignChosen, distributeChosen, tidyUp } from "../src/store/layoutCommands";
import { addAt, layOut, insertAt, move } from "../src/store/editCommands";
import { bench } from "./shared";

const box = (id: string, x: number, y: number, width = 208, height = 78) => ({ id, x, y, width, height });

describe("align", () => {
  const boxes = [box("a", 0, 0), box("b", 100, 200, 304, 100), box("c", 40, 400)];

  test.each([
    ["left", { a: [0, 0], b: [0, 200], c: [0, 400] }],
    ["centre", { a: [96, 0], b: [48, 200], c: [96, 400] }],
    ["right", { a: [196, 0], b: [100, 200], c: [196, 400] }],
    ["top", { a: [0, 0], b: [100, 0], c: [40, 0] }],
    ["middle", { a: [0, 200], b: [100, 192], c: [40, 200] }],
    ["bottom", { a: [0, 400], b: [100, 378], c: [40, 400] }],
  ] as const)("%s", (side, places) => {
    expect(align(boxes, side)).toEqual(places);
  });
});

test("evenly apart: equal gaps, the ends stay", () => {
  expect(distribute([box("a", 0, 0), box("c", 1000, 0), box("b", 300, 8)], "across")).toEqual({
    a: [0, 0],
    b: [500, 8],
    c: [1000, 0],
  });
  expect(distribute([box("a", 0, 0), box("b", 0, 90)], "down")).toEqual({});
});

test("aligning moves the selected blocks only, as one step", () => {
  const b = bench();
  const before = b.editor.state.drawing;
  b.editor.select(["conv1", "join"]);
  alignChosen(b.editor, "left");
  const { layout } = b.editor.state.drawing;
  expect([layout.conv1, layout.join, layout.image]).toEqual([
    [312, 0],
    [312, 0],
    [0, 0],
  ]);
  b.editor.undo();
  expect(b.editor.state.drawing).toBe(before);
});

test("too few blocks to space evenly is said", () => {
  const b = bench();
  b.editor.select(["conv1", "join"]);
  distributeChosen(b.editor, "across");
  expect(b.editor.state.toast?.text).toBe("Select three or more blocks to space them evenly.");
});

test("laying out a selection leaves the others and the selection's corner where they are", () => {
  const b = bench();
  move(b.editor, { conv1: [100, 900], join: [90, 930], scale: [120, 960] });
  b.editor.select(["conv1", "join", "scale"]);
  tidyUp(b.editor);
  const { layout } = b.editor.state.drawing;
  expect([layout.image, layout.logits]).toEqual([
    [0, 0],
    [1248, 0],
  ]);
  const xs = ["conv1", "join", "scale"].map((id) => layout[id]![0]);
  expect(xs[0]).toBe(90);
  expect(xs[1]! - xs[0]!).toBeGreaterThan(208);
  expect(xs[2]! - xs[1]!).toBeGreaterThan(208);
});

test("a block put on a shortcut stands beside the row that the shortcut passes", () => {
  const b = bench();
  const wire = b.editor.state.drawing.graph.edges.find((e) => e.source === "image" && e.target === "join")!;
  insertAt(b.editor, "ReLU", wire, [320, 8]);
  const { layout } = b.editor.state.drawing;
  expect(layout.relu1).toEqual([320, 104]);
  expect([layout.conv1, layout.join]).toEqual([
    [312, 0],
    [624, 0],
  ]);
});

test("a block dropped on a short wire pushes the blocks behind it, in its row only", () => {
  const b = bench();
  addAt(b.editor, "ReLU", [624, 500]);
  const wire = b.editor.state.drawing.graph.edges[0]!;
  insertAt(b.editor, "BatchNorm2d", wire, [208, 8]);
  const { layout } = b.editor.state.drawing;
  expect(layout.image).toEqual([0, 0]);
  expect(layout.bn).toEqual([304, 0]);
  expect(layout.conv1).toEqual([608, 0]);
  expect(layout.join![0] - layout.conv1![0]).toBe(312);
  expect(layout.relu1).toEqual([624, 500]);
});

test("undo of another direction brings back the places and the direction", () => {
  const b = bench();
  const before = b.editor.state.direction;
  layOut(b.editor, before === "down" ? "right" : "down");
  move(b.editor, { conv1: [5, 5] });
  b.editor.undo();
  expect(b.editor.state.direction).not.toBe(before);
  b.editor.undo();
  expect(b.editor.state.direction).toBe(before);
  b.editor.redo();
  expect(b.editor.state.direction).not.toBe(before);
});
