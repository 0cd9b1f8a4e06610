import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fromWire } from "../src/model/graph";
import { Ports } from "../src/model/ports";
import type { GraphJson, Signature } from "../src/protocol";
import { groupSelected, openNode } from "../src/store/compositeCommands";
import { canShare, owners, ownWeights, shareWeights, takeWeightsOf } from "../src/store/sharingCommands";
import { addAt, connect } from "../src/store/editCommands";
import { addWired, blocksBetween } from "../src/store/wireCommands";
import { compatibilityTest, fitsButForShape, refusal, replacedWire } from "../src/store/wireChecks";
import { bench, catalogue, tensor } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const edge = (source: string, target: string, targetPort = "input") => ({
  source,
  sourcePort: "output",
  target,
  targetPort,
});

/** A bench whose report, up to date, says what leaves these nodes. */
function told(signatures: Record<string, Signature>, blocks: Record<string, string>) {
  const b = bench();
  for (const block of Object.values(blocks)) addAt(b.editor, block, [0, 900]);
  const nodes = Object.fromEntries(Object.entries(signatures).map(([id, output]) => [id, { outputs: { output } }]));
  b.editor.set({ annRev: b.editor.state.semRev, annotations: { ...b.editor.state.annotations, nodes } });
  return b;
}

describe("a wire that cannot fit is refused with the reason", () => {
  test.each([
    [
      tensor(["N", 20], "int64"),
      "linear1",
      "linear1 needs floats, image gives integers: (N, 20) int64. Put an Embedding between.",
    ],
    [
      tensor(["N", 1, 8, 8], "uint8"),
      "linear1",
      "linear1 needs floats, image gives integers: (N, 1, 8, 8) uint8. Put a “to” block between.",
    ],
    [
      tensor(["N", 20], "bool"),
      "linear1",
      "linear1 needs floats, image gives true or false: (N, 20) bool. Put a “to” block between.",
    ],
    [tensor(["N", 20]), "embedding1", "embedding1 needs integers, image gives floats: (N, 20)."],
    [tensor(["N", 784]), "conv2", "conv2 needs (N, C, H, W), image gives (N, 784)."],
    [tensor(["N", 1, 8, 8]), "conv2", ""],
    [tensor(["N", 20], "bfloat16"), "linear1", ""],
  ])("%j into %s", (signature, target, reason) => {
    const b = told({ image: signature }, { linear1: "Linear", embedding1: "Embedding", conv2: "Conv2d" });
    expect(refusal(b.editor, edge("image", target))).toBe(reason);
    expect(connect(b.editor, edge("image", target))).toBe(reason === "");
  });

  test("a block put between takes the wire and leads on into the port", () => {
    const b = told({ image: tensor(["N", 20], "int64") }, { linear1: "Linear" });
    expect(fitsButForShape(b.editor, edge("image", "linear1"))).toBe(true);
    expect(fitsButForShape(b.editor, edge("scale", "conv1"))).toBe(false);
    expect(blocksBetween(b.editor, "image", "output", "")[0]).toBe("Embedding");
    expect(blocksBetween(b.editor, "image", "output", "")).not.toContain("Output");
    addWired(b.editor, "Embedding", "image", "output", [0, 500], { target: "linear1", targetPort: "input", why: "" });
    const wires = b.editor.state.drawing.graph.edges.map((e) => `${e.source} ${e.target}`);
    expect(wires).toContain("image embedding1");
    expect(wires).toContain("embedding1 linear1");
    b.editor.undo();
    expect(b.editor.state.drawing.graph.nodes).not.toHaveProperty("embedding1");
  });

  test("a report on an older drawing decides nothing: the analysis will", () => {
    const b = told({ image: tensor(["N", 20], "int64") }, { linear1: "Linear" });
    addAt(b.editor, "ReLU", [0, 0]);
    expect(refusal(b.editor, edge("image", "linear1"))).toBe("");
  });

  test("loops, itself, and integers where a tensor belongs", () => {
    const b = told({}, { size1: "size" });
    expect(refusal(b.editor, edge("scale", "conv1"))).toBe(
      "scale already reads from conv1: this wire would close a loop.",
    );
    expect(refusal(b.editor, edge("conv1", "conv1"))).toBe("conv1 cannot feed itself.");
    expect(refusal(b.editor, edge("size1", "conv1"))).toBe("conv1 needs a tensor; size1 gives an integer.");
  });

  test("all ports at once, as while a wire is drawn", () => {
    const b = told({ image: tensor(["N", 20], "int64") }, { linear1: "Linear", embedding1: "Embedding" });
    const fits = compatibilityTest(b.editor, ["image", "output"], "source");
    expect(
      [
        ["linear1", "input"],
        ["embedding1", "input"],
        ["logits", "input"],
      ].map((p) => fits(p as [string, string])),
    ).toEqual([false, true, true]);
  });

  test("a taken port names the wire that would go; the wire that is there replaces nothing", () => {
    const b = bench();
    expect(replacedWire(b.editor, edge("image", "logits"))?.source).toBe("scale");
    expect(replacedWire(b.editor, edge("scale", "logits"))).toBe(undefined);
  });
});

describe("integer ports of composites", () => {
  const json: GraphJson = {
    nodes: { image: { block: "Input" }, n: { block: "size" }, use: { block: "Flat" } },
    edges: ["image -> n", "image -> use.x", "n -> use.count"],
    composites: {
      Flat: {
        nodes: {
          x: { block: "Input" },
          count: { block: "Input" },
          re: { block: "reshape", settings: { shape: [-1, 4] } },
          n: { block: "size" },
          y: { block: "Output" },
          many: { block: "Output" },
        },
        edges: ["x -> re.input", "count -> re.shape.1", "re -> y", "re -> n", "n -> many"],
      },
    },
  };

  test("an end is what its wires inside make it", () => {
    const ports = new Ports(catalogue, fromWire(json, catalogue));
    expect(ports.inputs("use").map((p) => [p.name, p.kind])).toEqual([
      ["x", "tensor"],
      ["count", "size"],
    ]);
    expect(ports.outputs("use").map((p) => [p.name, p.kind])).toEqual([
      ["y", "tensor"],
      ["many", "size"],
    ]);
    expect(ports.graph.edges.map((e) => ports.write(e))).toEqual(json.edges);
  });

  test("inside an open composite an unwired Input may become either", () => {
    const b = bench();
    b.editor.select(["conv1"]);
    groupSelected(b.editor, "Part");
    openNode(b.editor, "part1");
    addAt(b.editor, "Input", [0, 300]);
    addAt(b.editor, "reshape", [300, 300]);
    const [input = "", reshape = ""] = Object.keys(b.editor.state.drawing.graph.nodes).filter((id) =>
      /image|reshape/.test(id),
    );
    expect(connect(b.editor, edge(input, reshape, "shape.0"))).toBe(true);
    expect(refusal(b.editor, edge(input, reshape))).toBe(`${reshape}.input needs a tensor; ${input} gives an integer.`);
  });
});

describe("shared weights", () => {
  const two = () => {
    const b = bench();
    addAt(b.editor, "Conv2d", [0, 400]);
    b.editor.set({
      annotations: { ...b.editor.state.annotations, nodes: { conv1: { params: 40 }, conv2: { params: 40 } } },
    });
    return b;
  };

  test("another use of a layer has its weights and no settings", () => {
    const b = two();
    expect(canShare(b.editor, "conv1")).toBe(true);
    expect(canShare(b.editor, "scale")).toBe(false);
    shareWeights(b.editor, "conv1");
    expect(b.editor.state.drawing.graph.nodes.conv3).toEqual({ weights_of: "conv1" });
    b.editor.undo();
    expect(b.editor.state.drawing.graph.nodes).not.toHaveProperty("conv3");
  });

  test("a block takes the weights of another of its kind, and its own again", () => {
    const b = two();
    expect(owners(b.editor, "conv2")).toEqual(["conv1"]);
    takeWeightsOf(b.editor, "conv2", "conv1");
    expect(b.editor.state.drawing.graph.nodes.conv2).toEqual({ weights_of: "conv1" });
    ownWeights(b.editor, "conv2");
    expect(b.editor.state.drawing.graph.nodes.conv2).toEqual({
      block: "Conv2d",
      settings: { out_channels: 4, kernel_size: 3, padding: 1 },
    });
    expect(takeWeightsOf(b.editor, "conv2", "join")).toBe(false);
  });

  test("those that shared with it follow to the new owner", () => {
    const b = two();
    shareWeights(b.editor, "conv2");
    takeWeightsOf(b.editor, "conv2", "conv1");
    expect(b.editor.state.drawing.graph.nodes.conv3).toEqual({ weights_of: "conv1" });
  });
});
