import { describe, expect, test } from "vitest";
import { find, isKeyOf } from "../src/model/find";
import { fromWire } from "../src/model/graph";
import type { GraphJson } from "../src/protocol";
import { catalogue } from "./shared";

const ends = { input: { block: "Input" }, output: { block: "Output" } };
const graph: GraphJson = {
  nodes: {
    image: { block: "Input" },
    layer1: { block: "Basic", repeat: 2 },
    layer4: { block: "Layer4" },
    fc: { block: "Linear" },
  },
  edges: ["image -> layer1", "layer1 -> layer4", "layer4 -> fc"],
  composites: {
    Basic: { nodes: { ...ends, conv1: { block: "Conv2d" }, bn1: { block: "BatchNorm2d" } }, edges: [] },
    Layer4: { nodes: { ...ends, block_0: { block: "Basic" }, block_1: { block: "Basic" } }, edges: [] },
  },
};
const drawing = { graph: fromWire(graph, catalogue), layout: {}, notes: [] };
const first = (query: string) => find(drawing, [], catalogue, query)[0]?.path;

describe("a key of a state_dict leads to its block", () => {
  test.each([
    ["layer4.1.conv1", "layer4.block_1.conv1"],
    ["layer4.0.conv1.weight", "layer4.block_0.conv1"],
    ["layer4.1.bn1.running_mean", "layer4.block_1.bn1"],
    ["layer1.1.conv1", "layer1.conv1"],
    ["layer1.0.bn1.num_batches_tracked", "layer1.bn1"],
    ["layer1.conv1", "layer1.conv1"],
    ["layer4.1.bn", "layer4.block_1.bn1"],
    ["fc.bias", "fc"],
  ])("%s to %s", (key, path) => expect(first(key)).toBe(path));

  test("and no other", () => {
    expect(isKeyOf("layer4.2.conv1", "layer4.block_1.conv1")).toBe(false);
    expect(isKeyOf("layer4.1.conv1.weight", "layer4.block_1.conv2")).toBe(false);
    expect(isKeyOf("layer4.1.conv1.other", "layer4.block_1.conv1")).toBe(false);
    expect(isKeyOf("layer4", "layer4.block_1")).toBe(false);
  });
});
