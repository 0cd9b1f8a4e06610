import { describe, expect, it } from "vitest";
import { fromWire } from "../src/model/graph";
import { leastZoom, mapOf, union, viewBox } from "../src/model/minimap";
import { Ports } from "../src/model/ports";
import { catalogue } from "./shared";

describe("the map of the drawing", () => {
  it("covers what is drawn and what is in view", () => {
    expect(union({ x: 0, y: 0, width: 100, height: 50 }, { x: -20, y: 30, width: 60, height: 60 })).toEqual({
      x: -20,
      y: 0,
      width: 120,
      height: 90,
    });
    expect(union(null, { x: 1, y: 2, width: 3, height: 4 })).toEqual({ x: 1, y: 2, width: 3, height: 4 });
  });

  it("has a path for each family, and for each state of blocks that are not well", () => {
    const blocks = { image: "Input", conv1: "Conv2d", relu1: "ReLU", relu2: "ReLU", block1: "Residual", relu3: "ReLU" };
    const graph = fromWire(
      {
        nodes: Object.fromEntries(Object.entries(blocks).map(([id, block]) => [id, { block }])),
        edges: [],
        composites: { Residual: { nodes: {}, edges: [] } },
      },
      catalogue,
    );
    const layout = Object.fromEntries(Object.keys(blocks).map((id, i) => [id, [300 * i, 0] as [number, number]]));
    const ports = new Ports(catalogue, graph);
    const kind = (id: string) => (id === "relu3" ? { state: "error" } : { family: ports.family(id) });
    const { paths } = mapOf({ graph, layout, notes: [] }, ports, "right", kind);
    expect(paths.map(({ kind: each, d }) => [Object.values(each)[0], d.split("z").length - 1])).toEqual([
      ["ends", 1],
      ["convolution", 1],
      ["activation", 2],
      ["composite", 1],
      ["error", 1],
    ]);
  });

  it("has its own shape, the drawing in its middle", () => {
    expect(viewBox({ x: 0, y: 0, width: 100, height: 10 }, 2)).toEqual({ x: -4, y: -22, width: 108, height: 54 });
    expect(viewBox({ x: 0, y: 0, width: 10, height: 100 }, 2)).toEqual({ x: -103, y: -4, width: 216, height: 108 });
  });

  it("one zooms out so far that the drawing is still found", () => {
    expect(leastZoom({})).toBe(0.25);
    expect(leastZoom({ a: [0, 0], b: [300, 0] })).toBe(0.25);
    expect(leastZoom({ a: [-1000, 0], b: [792, 0] })).toBe(0.08);
    expect(leastZoom({ a: [0, 0], b: [0, 90_000] })).toBe(0.03);
  });
});
