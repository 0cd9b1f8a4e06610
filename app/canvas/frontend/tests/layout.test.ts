/** Drawings with wires that skip blocks are folded into rows, too; wires back run between the rows. */

import { describe, expect, test } from "vitest";
import { directionOf } from "../src/model/geometry";
import { fromWire } from "../src/model/graph";
import { coursesOf } from "../src/model/wireRouting";
import { tidy } from "../src/model/layout";
import { Ports } from "../src/model/ports";
import type { Layout } from "../src/protocol";
import { catalogue } from "./shared";

const chain = (ids: string[]) => ids.slice(1).map((id, i) => `${ids[i]} -> ${id}`);
const BLOCKS = ["image", "c1", "b1", "r1", "c2", "b2", "r2", "c3", "b3"];
const RESIDUAL = {
  nodes: Object.fromEntries(
    [...BLOCKS, "join", "last", "out"].map((id) => [
      id,
      { block: id === "image" ? "Input" : id === "join" ? "add" : id === "out" ? "Output" : "ReLU" },
    ]),
  ),
  edges: [...chain(BLOCKS), "b3 -> join.input", "image -> join.other", ...chain(["join", "last", "out"])],
};
const drawn = (json = RESIDUAL) => fromWire(json, catalogue);
const courses = (layout: Layout, graph = drawn()) =>
  coursesOf({ graph, layout, notes: [] }, new Ports(catalogue, graph), "right");

describe("folding", () => {
  test("a residual block is folded although its skip leads over all rows", () => {
    const places = tidy({ graph: drawn(), layout: {} }, "right", catalogue);
    const columns = [...new Set(Object.values(places).map(([x]) => x))].sort((a, b) => a - b);
    expect(columns).toEqual([0, 328, 656, 984]);
    expect([places.image, places.r1, places.r2, places.join]).toEqual([
      [0, 0],
      [0, 144],
      [0, 288],
      [984, 288],
    ]);
  });

  test("two residual blocks are cut between them rather than through one", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const graph = drawn({
      nodes: Object.fromEntries(
        ["image", ...ids].map((id) => [id, { block: id === "image" ? "Input" : "cd".includes(id) ? "add" : "ReLU" }]),
      ),
      edges: [
        "image -> a",
        "a -> b",
        "b -> c.input",
        "image -> c.other",
        "c -> e",
        "e -> f",
        "f -> d.input",
        "c -> d.other",
      ],
    });
    const places = tidy({ graph, layout: {} }, "right", catalogue);
    expect(new Set(["image", "a", "b", "c"].map((id) => places[id]?.[1]))).toEqual(new Set([0]));
    expect(places.e?.[0]).toBe(0);
    expect(new Set(["e", "f", "d"].map((id) => places[id]?.[1])).size).toBe(1);
  });

  test("branches stand in the order of the ports that they feed, and many of them hide no direction", () => {
    const ids = Array.from({ length: 12 }, (_, i) => `r${i}`);
    const graph = drawn({
      nodes: Object.fromEntries(
        ["image", ...ids, "cat1"].map((id) => [
          id,
          { block: id === "image" ? "Input" : id === "cat1" ? "cat" : "ReLU" },
        ]),
      ),
      edges: ids.flatMap((id, i) => [`image -> ${id}`, `${id} -> cat1.tensors.${i}`]),
    });
    const places = tidy({ graph, layout: {} }, "right", catalogue);
    expect(ids.toSorted((p, q) => (places[p]?.[1] ?? 0) - (places[q]?.[1] ?? 0))).toEqual(ids);
    const down = tidy({ graph, layout: {} }, "down", catalogue);
    expect([directionOf({ graph, layout: places }), directionOf({ graph, layout: down })]).toEqual(["right", "down"]);
    expect(ids.toSorted((p, q) => (down[p]?.[0] ?? 0) - (down[q]?.[0] ?? 0))).toEqual(ids);
  });

  test("blocks alone in their column stand in one line", () => {
    const graph = drawn({
      nodes: { image: { block: "Input" }, a: { block: "ReLU" }, join: { block: "add" } },
      edges: ["image -> a", "a -> join.input", "image -> join.other"],
    });
    const places = tidy({ graph, layout: {} }, "right", catalogue);
    expect(places).toEqual({ image: [0, 0], a: [328, 0], join: [656, 0] });
  });
});

describe("a chain", () => {
  const rowsOf = (count: number) => {
    const ids = Array.from({ length: count }, (_, i) => `r${i}`);
    const graph = drawn({ nodes: Object.fromEntries(ids.map((id) => [id, { block: "ReLU" }])), edges: chain(ids) });
    const rows = new Map<number, number>();
    for (const [, y] of Object.values(tidy({ graph, layout: {} }, "right", catalogue)))
      rows.set(y, (rows.get(y) ?? 0) + 1);
    return [...rows.values()];
  };

  test.each([
    [3, [3]],
    [4, [3, 1]],
    [5, [3, 2]],
    [7, [3, 3, 1]],
    [14, [3, 3, 3, 3, 2]],
    [20, [3, 3, 3, 3, 3, 3, 2]],
  ])("of %i blocks has rows that leave them large", (count, rows) => expect(rowsOf(count)).toEqual(rows));

  test("of many blocks fills the canvas with them", () => expect(rowsOf(60)).toEqual(Array(12).fill(5)));
});

describe("a wire back to a row below", () => {
  const nodes = { image: { block: "Input" }, a: { block: "ReLU" }, b: { block: "ReLU" }, join: { block: "add" } };
  const one = drawn({ nodes, edges: ["image -> a", "a -> b", "a -> join.input", "b -> join.other"] });
  const layout: Layout = { image: [0, 0], a: [328, 0], b: [0, 144], join: [328, 144] };

  test("runs between the rows, not through the block with several inputs that it leads to", () => {
    const found = courses(layout, one);
    expect(found.get("a.output -> b.input")?.points).toEqual([
      [536, 39],
      [566, 39],
      [566, 122],
      [-16, 122],
      [-16, 183],
      [0, 183],
    ]);
    expect(found.get("a.output -> join.input")?.points.slice(1, 3)).toEqual([
      [552, 39],
      [552, 128],
    ]);
  });

  test("runs below a block of that row that stands higher than the one it leads to", () => {
    const graph = drawn({ nodes, edges: ["image -> join.other", "a -> b"] });
    const found = courses({ image: [0, 0], a: [656, 0], b: [0, 400], join: [328, 320] }, graph);
    expect(found.get("a.output -> b.input")?.points.map(([, y]) => y)).toEqual([39, 39, 494, 494, 439, 439]);
  });

  test("keeps apart from one of another output", () => {
    const graph = drawn({ nodes, edges: ["image -> b", "a -> join.input"] });
    const found = courses({ ...layout, image: [0, 0], b: [0, 144], join: [-328, 144] }, graph);
    const level = (id: string) => found.get(id)?.points[2]?.[1];
    expect([level("image.output -> b.input"), level("a.output -> join.input")]).toEqual([128, 282]);
  });
});
