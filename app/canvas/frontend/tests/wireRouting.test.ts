import { describe, expect, test } from "vitest";
import { coursesOf } from "../src/model/wireRouting";
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
const courses = (layout: Layout, direction: "right" | "down" = "right", drawn = graph()) =>
  coursesOf({ graph: drawn, layout, notes: [] }, new Ports(catalogue, drawn), direction);

const level = (layout: Layout, id = SKIP, drawn = graph()) => {
  const points = courses(layout, "right", drawn).get(id)?.points ?? [];
  return points[points.length >> 1]?.[1];
};

describe("a wire that skips blocks", () => {
  test("runs beside those it would go through, and only such a wire has a lane", () => {
    const found = courses({ image: [0, 0], a: [312, 0], b: [624, 0], join: [936, 0] });
    expect([...found.keys()]).toEqual([SKIP]);
    expect(found.get(SKIP)?.points).toEqual([
      [208, 39],
      [224, 39],
      [224, -16],
      [906, -16],
      [906, 85],
      [936, 85],
    ]);
  });

  test("runs above where below is further", () => {
    expect(level({ image: [0, -30], a: [312, 0], b: [624, 0], join: [936, -100] })).toBe(-15);
  });

  test("goes round a block that stands in its lane", () => {
    const nodes = { ...CHAIN.nodes, other: { block: "ReLU" } };
    const places: Layout = { image: [0, 0], a: [312, 0], b: [624, 0], join: [936, 0], other: [400, 84] };
    expect(level(places, SKIP, fromWire({ ...CHAIN, nodes }, catalogue))).toBe(-16);
  });

  test("goes straight where no block is in the way", () => {
    const found = courses({ image: [0, 300], a: [312, 0], b: [624, 0], join: [936, 254] });
    expect(found.has(SKIP)).toBe(false);
  });

  test("keeps apart from another that runs there, but runs with one of the same output", () => {
    const nodes = { ...CHAIN.nodes, sum: { block: "add" } };
    const places: Layout = { image: [0, 0], a: [312, 0], b: [624, 0], join: [936, 0], sum: [1248, 0] };
    const edges = [...CHAIN.edges, "a -> sum.input", "join -> sum.other"];
    const drawn = fromWire({ nodes, edges }, catalogue);
    expect([level(places, SKIP, drawn), level(places, "a.output -> sum.input", drawn)]).toEqual([-16, 138]);
    const same = fromWire({ nodes, edges: [...CHAIN.edges, "image -> sum.input", "join -> sum.other"] }, catalogue);
    const found = courses(places, "right", same);
    expect([level(places, SKIP, same), level(places, "image.output -> sum.input", same)]).toEqual([-16, -16]);
    expect(found.get(SKIP)?.silent).toBe(true);
  });

  test("the same holds downwards", () => {
    const found = courses({ image: [0, 0], a: [0, 134], b: [0, 268], join: [0, 402] }, "down");
    expect(found.get(SKIP)?.points).toEqual([
      [104, 78],
      [104, 94],
      [-16, 94],
      [-16, 376],
      [52, 376],
      [52, 402],
    ]);
  });
});
