import { describe, expect, test } from "vitest";
import { tracksOf } from "../src/model/wireRouting";
import { fromWire } from "../src/model/graph";
import { Ports } from "../src/model/ports";
import type { Layout } from "../src/protocol";
import { catalogue } from "./shared";

const CHAIN = {
  nodes: { image: { block: "Input" }, a: { block: "ReLU" }, b: { block: "ReLU" }, join: { block: "add" } },
  edges: ["image -> a", "a -> b", "image -> join.input", "b -> join.other"],
};
const SKIP = "image.output -> join.input";
const graph = () => fromWire(CHAIN, catalogue);
const lanes = (layout: Layout, direction: "right" | "down" = "right", drawn = graph()) =>
  tracksOf({ graph: drawn, layout, notes: [] }, new Ports(catalogue, drawn), direction);

describe("a wire that skips blocks", () => {
  test("runs beside those it would go through, and only such a wire has a lane", () => {
    const found = lanes({ image: [0, 0], a: [312, 0], b: [624, 0], join: [936, 0] });
    expect([...found.keys()]).toEqual([SKIP]);
    expect(found.get(SKIP)).toMatchObject({ at: 98, from: 306, to: 838 });
  });

  test("runs above where below is further", () => {
    const found = lanes({ image: [0, -30], a: [312, 0], b: [624, 0], join: [936, -60] });
    expect(found.get(SKIP)?.at).toBe(-20);
  });

  test("goes round a block that stands in its lane", () => {
    const nodes = { ...CHAIN.nodes, other: { block: "ReLU" } };
    const found = lanes(
      { image: [0, 0], a: [312, 0], b: [624, 0], join: [936, 0], other: [400, 84] },
      "right",
      fromWire({ ...CHAIN, nodes }, catalogue),
    );
    expect(found.get(SKIP)?.at).toBe(-20);
  });

  test("does not cut a corner on its way to the lane", () => {
    const nodes = { ...CHAIN.nodes, a: { block: "add" }, other: { block: "add" } };
    const edges = ["image -> join.other"];
    const places: Layout = { image: [312, 800], a: [936, 430], b: [0, 0], join: [1248, 422], other: [624, 500] };
    const found = lanes(places, "right", fromWire({ nodes, edges }, catalogue));
    expect(found.get("image.output -> join.other")).toMatchObject({ at: 642, from: 618, to: 1150 });
  });

  test("goes straight where no block is in the way", () => {
    expect(lanes({ image: [0, 300], a: [312, 0], b: [624, 0], join: [936, 300] }).size).toBe(0);
  });

  test("keeps apart from another that runs there", () => {
    const nodes = { ...CHAIN.nodes, sum: { block: "add" } };
    const edges = [...CHAIN.edges, "image -> sum.input", "join -> sum.other"];
    const found = lanes(
      { image: [0, 0], a: [312, 0], b: [624, 0], join: [936, 0], sum: [1248, 0] },
      "right",
      fromWire({ nodes, edges }, catalogue),
    );
    const [one, other] = [found.get(SKIP)?.at ?? 0, found.get("image.output -> sum.input")?.at ?? 0];
    expect(Math.abs(one - other)).toBeGreaterThanOrEqual(11);
  });

  test("the same holds downwards", () => {
    const found = lanes({ image: [0, 0], a: [0, 134], b: [0, 268], join: [0, 402] }, "down");
    expect(found.get(SKIP)?.at).toBe(-20);
  });
});
