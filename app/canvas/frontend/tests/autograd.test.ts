import { expect, test } from "vitest";
import { type AutogradGraph, foldable, type GraphNode, lanesOf, rowsOf, width } from "../src/model/autograd";

const node = (name: string, block: string, bytes = 0): GraphNode => ({
  name,
  block,
  bytes,
  parameter: "",
  shape: [],
  saved: [],
});

/** A residual block: the sum leads to the last ReLU inside and past it. */
const graph: AutogradGraph = {
  nodes: [
    node("Nll", "", 12),
    node("LogSoftmax", "", 40),
    node("Add", "stage.join"),
    node("Relu", "stage.relu", 8),
    node("Conv", "stage.conv", 4),
    node("Accumulate", "stage.conv"),
    node("Tanh", "stem", 2),
  ],
  edges: [
    [0, 1],
    [1, 2],
    [2, 3],
    [2, 6],
    [3, 4],
    [4, 6],
    [4, 5],
  ],
  bytes: 66,
};
const told = (open: Iterable<string>) =>
  rowsOf(graph, new Set(open)).map((row) => `${row.kind} ${row.block || "loss"} ${row.nodes.join(",")} ${row.bytes}`);

test("folded, each block is one row that adds up what it keeps", () => {
  expect(told([])).toEqual(["folded loss 0,1 52", "folded stage 2,3,4,5 12", "node stem 6 2"]);
});

test("an open block shows the blocks in it, and an open one of those its nodes", () => {
  expect(told(["", "stage"]).slice(0, 5)).toEqual([
    "head loss 0,1 52",
    "node loss 0 12",
    "node loss 1 40",
    "head stage 2,3,4,5 12",
    "node stage.join 2 0",
  ]);
  expect(told(foldable(graph)).slice(-4)).toEqual([
    "head stage.conv 4,5 4",
    "node stage.conv 4 4",
    "node stage.conv 5 0",
    "node stem 6 2",
  ]);
});

test("the way past a block is a lane beside it, which ends where both meet", () => {
  const lanes = lanesOf(rowsOf(graph, foldable(graph)), graph.edges);
  expect(width(lanes)).toBe(2);
  const dots = lanes.map((lane) => lane.dot);
  expect(dots).toEqual([-1, 0, 0, -1, 0, 1, -1, 1, 1, 0]);
  expect(lanes[4]?.below).toEqual([
    [0, 0],
    [0, 1],
  ]);
  expect(lanes[7]?.below).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
  ]);
  expect(lanes.at(-1)).toEqual({ dot: 0, above: [[0, 0]], below: [] });
});

test("folded, the edges inside a block are gone and those between blocks are one", () => {
  const lanes = lanesOf(rowsOf(graph, new Set()), graph.edges);
  expect(lanes.map((lane) => lane.below)).toEqual([[[0, 0]], [[0, 0]], []]);
});
