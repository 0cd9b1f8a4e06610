/** Cards that show values are higher where there is room below all of them. */

import { expect, test } from "vitest";
import type { Drawing } from "../src/model/drawing";
import { Ports } from "../src/model/ports";
import { growsTaller, valueRoom } from "../src/model/valueRoom";
import { catalogue } from "./shared";

/** Blocks of 78 pixels at these heights below each other, without wires. */
function column(...tops: number[]): Drawing {
  const names = tops.map((_, i) => `relu${i}`);
  return {
    graph: { nodes: Object.fromEntries(names.map((name) => [name, { block: "ReLU" }])), edges: [] },
    layout: Object.fromEntries(names.map((name, i) => [name, [0, tops[i] as number]])),
    notes: [],
  };
}
const room = (drawing: Drawing, direction: "right" | "down" = "right") =>
  valueRoom(drawing, new Ports(catalogue, drawing.graph), direction);

test("the least room decides for all cards: what is 16 pixels away, or less, stays so", () => {
  expect(room(column(0, 200))).toBe(18);
  expect(room(column(0, 78 + 34, 400))).toBe(18);
  expect(room(column(0, 78 + 26, 400))).toBe(10);
  expect(room(column(0, 78 + 23, 400))).toBe(0);
});

test("a wire below is in the way as a card is", () => {
  const wired = column(0, 300);
  const { graph, layout } = {
    graph: {
      nodes: { ...wired.graph.nodes, far: { block: "ReLU" } },
      edges: [{ source: "relu0", sourcePort: "output", target: "far", targetPort: "input" }],
    },
    layout: { ...wired.layout, far: [220, 0] as [number, number] },
  };
  expect(room({ graph, layout, notes: [] })).toBe(18); // it leaves at the side
  const under: Drawing = {
    graph: {
      nodes: { a: { block: "ReLU" }, b: { block: "ReLU" }, over: { block: "ReLU" } },
      edges: [{ source: "a", sourcePort: "output", target: "b", targetPort: "input" }],
    },
    layout: { over: [230, 0], a: [0, 62], b: [460, 62] }, // a level wire 23 pixels below "over"
    notes: [],
  };
  expect(room(under)).toBe(0);
});

test("there is none where wires leave below, and for cards with several ports", () => {
  expect(room(column(0, 400), "down")).toBe(0);
  const ports = new Ports(catalogue, { nodes: { join: { block: "add" }, relu: { block: "ReLU" } }, edges: [] });
  expect([growsTaller(ports, "join"), growsTaller(ports, "relu")]).toEqual([false, true]);
});
