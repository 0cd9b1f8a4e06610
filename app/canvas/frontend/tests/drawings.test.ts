/** Known networks as they are laid out and wired, and what a drawing is scored by. */

import { describe, expect, test } from "vitest";
import type { Direction } from "../src/model/geometry";
import { fromWire } from "../src/model/graph";
import { tidy } from "../src/model/layout";
import type { Layout } from "../src/protocol";
import { score } from "./drawingScore";
import { catalogue } from "./shared";

const RESIDUAL = {
  nodes: {
    image: { block: "Input" },
    conv1: { block: "ReLU" },
    relu1: { block: "ReLU" },
    conv2: { block: "ReLU" },
    add: { block: "add" },
    relu2: { block: "ReLU" },
    logits: { block: "Output" },
  },
  edges: [
    "image -> conv1",
    "conv1 -> relu1",
    "relu1 -> conv2",
    "conv2 -> add.input",
    "relu1 -> add.other",
    "add -> relu2",
    "relu2 -> logits",
  ],
};

type Json = Parameters<typeof fromWire>[0];
type Project = { graph: Json; composites?: Json["composites"] };
const projects = import.meta.glob("../../../../projects/*_digits.loom.json", { eager: true, import: "default" });

function template(name: string) {
  const { graph, composites } = projects[`../../../../projects/${name}.loom.json`] as Project;
  return { ...graph, ...(composites && { composites }) };
}

function drawn(json: Parameters<typeof fromWire>[0], direction: Direction) {
  const graph = fromWire(json, catalogue);
  const layout = tidy({ graph, layout: {} }, direction, catalogue);
  const rows = new Map<number, string[]>();
  for (const [id, [, y]] of Object.entries(layout)) rows.set(y, [...(rows.get(y) ?? []), id]);
  return { layout, rows: [...rows.values()], score: score({ graph, layout }, catalogue, direction) };
}

describe("a residual block", () => {
  test("stands in one row, its skip on a lane of its own", () => {
    const { rows, score } = drawn(RESIDUAL, "right");
    expect(rows).toEqual([
      ["image", "conv1"],
      ["relu1", "conv2", "add"],
      ["relu2", "logits"],
    ]);
    expect(score).toMatchObject({ crossings: 0, overlaps: 0, through: 0, labels: 0, unlabelled: 0 });
  });

  test("stands in one column, its skip beside it", () => {
    const { layout, score } = drawn(RESIDUAL, "down");
    expect(new Set(Object.values(layout).map(([x]) => x))).toEqual(new Set([0]));
    expect(score).toMatchObject({ crossings: 0, overlaps: 0, through: 0, labels: 0 });
  });
});

describe.each(["right", "down"] as const)("drawn to the %s", (direction) => {
  test.each([
    ["resnet_digits", 0],
    ["densenet_digits", 0],
    ["unet_digits", direction === "right" ? 3 : 0],
    ["vit_digits", 0],
    ["inception_digits", 0],
  ])("%s has few crossings, and no label or wire on another", (name, crossings) => {
    const found = drawn(template(name), direction).score;
    expect(found).toMatchObject({ crossings, overlaps: 0, through: 0, labels: 0 });
  });
});

describe("the score", () => {
  const graph = fromWire(
    {
      nodes: { a: { block: "Input" }, b: { block: "Input" }, c: { block: "ReLU" }, d: { block: "ReLU" } },
      edges: ["a -> d", "b -> c"],
    },
    catalogue,
  );
  const scored = (layout: Layout) => score({ graph, layout }, catalogue, "right");

  test("counts wires that cross", () => {
    expect(scored({ a: [0, 0], b: [0, 160], c: [328, 16], d: [328, 160] })).toMatchObject({
      crossings: 1,
      overlaps: 0,
    });
    expect(scored({ a: [0, 0], b: [0, 160], c: [328, 160], d: [328, 0] })).toMatchObject({ crossings: 0, bends: 0 });
  });

  test("says how large the drawing is", () => {
    expect(scored({ a: [0, 0], b: [0, 160], c: [328, 160], d: [328, 0] })).toMatchObject({ width: 536, height: 238 });
  });
});
