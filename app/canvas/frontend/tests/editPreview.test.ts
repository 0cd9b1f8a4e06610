import { describe, expect, test } from "vitest";
import { changesOf, reasonFor } from "../src/model/editPreview";
import { dimMapping } from "../src/model/dimMapping";
import type { Finding, PlacedEdit } from "../src/protocol";
import { catalogue, drawing } from "./shared";

const said = (edits: PlacedEdit[]) => changesOf(drawing(), edits, catalogue).list.map((c) => `${c.sign} ${c.text}`);

describe("what a fix would change", () => {
  test("a setting is told with its old and its new value", () => {
    expect(said([{ op: "set", node: "conv1", settings: { stride: 2 } }])).toEqual([
      "→ conv1: stride 1 (torch's default) → 2",
    ]);
  });

  test("a block that goes onto a wire is told with its ends, the wire it cuts is not told", () => {
    const edge = drawing().graph.edges.find((e) => e.target === "conv1")!;
    const edits: PlacedEdit[] = [
      { op: "insert", id: "bn9", block: "BatchNorm2d", target: "conv1", port: edge.targetPort },
    ];
    expect(said(edits)).toEqual([`+ bn9, BatchNorm2d between ${edge.source} and conv1`]);
    const [ghost] = changesOf(drawing(), edits, catalogue).ghosts;
    expect(ghost?.added.map((a) => a.id)).toEqual(["bn9"]);
    expect(ghost?.cut).toEqual([edge]);
  });

  test("nothing is carried out", () => {
    const before = drawing();
    changesOf(before, [{ op: "remove", node: "conv1" }], catalogue);
    expect(before).toEqual(drawing());
  });

  test("a fix that cannot be carried out any more is refused", () => {
    expect(() => changesOf(drawing(), [{ op: "remove", node: "nobody" }], catalogue)).toThrow(
      "nobody is not in the graph.",
    );
  });

  test("one sentence says why: of the new block, of the setting, else the hint", () => {
    const finding: Finding = { node: "conv1", code: "x", message: "", hint: "Do this.", fixes: [] };
    const of = (...edits: PlacedEdit[]) => reasonFor({ title: "", edits }, finding, catalogue, () => "Conv2d");
    expect(of({ op: "insert", id: "a", block: "ReLU", target: "conv1", port: "input" })).toBe(
      "ReLU: A block of activation.",
    );
    expect(of({ op: "set", node: "conv1", settings: { stride: 2 } })).toBe("stride: Step.");
    expect(of({ op: "disconnect", edge: "a -> b" })).toBe("Do this.");
  });
});

describe("where dimensions go", () => {
  const with_ = (settings: Record<string, number | number[]>) => (name: string) => settings[name];

  test("flatten joins, permute crosses, unsqueeze makes room", () => {
    expect(dimMapping("flatten", with_({ start_dim: 1, end_dim: -1 }), 4, 2)).toEqual([
      [0, 0],
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(dimMapping("permute", with_({ dims: [0, 2, 1] }), 3, 3)).toEqual([
      [0, 0],
      [2, 1],
      [1, 2],
    ]);
    expect(dimMapping("unsqueeze", with_({ dim: -1 }), 2, 3)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(dimMapping("squeeze", with_({ dim: 1 }), 3, 2)).toEqual([
      [0, 0],
      [2, 1],
    ]);
  });
});
