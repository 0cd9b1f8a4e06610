import { describe, expect, test } from "vitest";
import { applyEdits } from "../src/model/edits";
import type { Graph } from "../src/model/drawing";
import * as g from "../src/model/graph";
import { nameProblem } from "../src/model/group";
import { idProblem, freshId } from "../src/model/names";
import { Ports } from "../src/model/ports";
import type { Edit } from "../src/protocol";
import { catalogue, drawing, fixture, graphJson } from "./shared";

const wire = (graph: Graph) => g.toWire(graph, catalogue);
const edge = (source: string, target: string, targetPort = "input", sourcePort = "output") => ({
  source,
  sourcePort,
  target,
  targetPort,
});

describe("the wire form", () => {
  test("reading and writing a graph gives the same JSON", () => {
    expect(wire(drawing().graph)).toEqual(graphJson);
  });

  test("a port is left out where it is the first output or the only input", () => {
    const graph = g.fromWire(
      {
        nodes: { r: { block: "LSTM" }, a: { block: "add" }, o: { block: "Output" } },
        edges: ["r.h_n -> a.other", "r -> a.input", "a -> o"],
      },
      catalogue,
    );
    expect(graph.edges[0]).toEqual(edge("r", "a", "other", "h_n"));
    expect(wire(graph).edges).toEqual(["r.h_n -> a.other", "r -> a.input", "a -> o"]);
  });

  test("keys of the file that this version does not know are kept", () => {
    const json = { nodes: { a: { block: "ReLU", colour: "red" } }, edges: [], theme: [1] };
    expect(wire(g.fromWire(json, catalogue))).toEqual(json);
  });
});

describe("edits offered by fixes", () => {
  for (const { name, edits, nodes, edges } of fixture.edits) {
    test(name, () => {
      const after = wire(applyEdits(drawing(), edits as Edit[], catalogue).graph);
      expect(Object.keys(after.nodes)).toEqual(nodes);
      expect(after.edges).toEqual(edges);
    });
  }

  test("an edit on a node that is not there is refused with its name", () => {
    expect(() => applyEdits(drawing(), [{ op: "remove", node: "gone" }], catalogue)).toThrow(
      "gone is not in the graph.",
    );
  });

  test("setting null takes the setting away", () => {
    const after = applyEdits(drawing(), [{ op: "set", node: "conv1", settings: { padding: null } }], catalogue);
    expect(after.graph.nodes.conv1?.settings).toEqual({ out_channels: 4, kernel_size: 3 });
  });
});

describe("wires", () => {
  test("a wire into a used port replaces the old one", () => {
    const graph = g.connect(drawing().graph, edge("image", "scale", "other"), catalogue);
    expect(wire(graph).edges).toContain("image -> scale.other");
    expect(wire(graph).edges).not.toContain("join -> scale.other");
  });

  test("a loop is refused with both ends named", () => {
    expect(() => g.connect(drawing().graph, edge("scale", "conv1"), catalogue)).toThrow(
      "scale already reads from conv1: this wire would close a loop.",
    );
  });

  test("a size cannot go where a tensor is needed", () => {
    const graph = g.addNode(drawing().graph, "n", { block: "size" });
    expect(() => g.connect(graph, edge("n", "conv1"), catalogue)).toThrow("conv1 needs a tensor; n gives an integer.");
  });

  test("a list port offers one free place after its wires", () => {
    const ports = new Ports(catalogue, drawing().graph);
    expect(ports.drawn("join").map((p) => p.name)).toEqual(["tensors.0", "tensors.1", "tensors.2"]);
    expect(ports.freeInput("join")).toBe("tensors.2");
  });

  test("ten wires into a list port stay in the order of their numbers", () => {
    let graph = drawing().graph;
    for (let i = 2; i < 12; i++) graph = g.connect(graph, edge("image", "join", `tensors.${i}`), catalogue);
    const order = graph.edges.filter((e) => e.target === "join").map((e) => e.targetPort);
    expect(order).toEqual(Array.from({ length: 12 }, (_, i) => `tensors.${i}`));
  });

  test("a list of outputs offers one free place after its wires, and its wires keep their numbers", () => {
    let graph = g.addNode(drawing().graph, "parts", { block: "chunk" });
    expect(new Ports(catalogue, graph).outputs("parts").map((p) => p.name)).toEqual(["output.0", "output.1"]);
    graph = g.connect(
      graph,
      { source: "parts", sourcePort: "output.1", target: "join", targetPort: "tensors.2" },
      catalogue,
    );
    const ports = new Ports(catalogue, graph);
    expect(ports.outputs("parts").map((p) => p.name)).toEqual(["output.0", "output.1", "output.2"]);
    expect(wire(graph).edges).toContain("parts.output.1 -> join.tensors.2");
    expect(ports.parse("parts.output.1 -> join.tensors.2")?.sourcePort).toBe("output.1");
  });

  test("ports for integers show once the graph has integers, one for each number of the setting", () => {
    let graph = g.addNode(drawing().graph, "rows", { block: "reshape", settings: { shape: [-1, 4] } });
    expect(new Ports(catalogue, graph).drawn("rows").map((p) => p.name)).toEqual(["input"]);
    graph = g.addNode(graph, "n", { block: "size" });
    expect(new Ports(catalogue, graph).drawn("rows").map((p) => p.name)).toEqual(["input", "shape.0", "shape.1"]);
    graph = g.connect(graph, { source: "n", sourcePort: "output", target: "rows", targetPort: "shape.1" }, catalogue);
    graph = g.connect(graph, { source: "image", sourcePort: "output", target: "rows", targetPort: "input" }, catalogue);
    expect(wire(graph).edges).toEqual(expect.arrayContaining(["n -> rows.shape.1", "image -> rows"]));
  });
});

describe("the order of nodes in the file", () => {
  test("a new block stands before the outputs", () => {
    const graph = g.addNode(drawing().graph, "relu1", { block: "ReLU" });
    expect(Object.keys(graph.nodes)).toEqual(["image", "conv1", "join", "scale", "relu1", "logits"]);
  });

  test("a loose block goes right after the node it reads from, once it is wired", () => {
    const loose = g.addNode(drawing().graph, "relu1", { block: "ReLU" });
    const graph = g.connect(loose, edge("conv1", "relu1"), catalogue);
    expect(Object.keys(graph.nodes)).toEqual(["image", "conv1", "relu1", "join", "scale", "logits"]);
  });

  test("a wire against the order of the file puts the source first", () => {
    const loose = g.addNode(g.addNode(drawing().graph, "a", { block: "ReLU" }), "b", { block: "ReLU" });
    const graph = g.connect(g.connect(loose, edge("b", "a"), catalogue), edge("a", "conv1"), catalogue);
    expect(Object.keys(graph.nodes)).toEqual(["image", "b", "a", "conv1", "join", "scale", "logits"]);
  });
});

describe("shared weights", () => {
  const shared = () => ({
    graph: {
      nodes: { a: { block: "ReLU", settings: { p: 1 } }, b: { weights_of: "a" }, c: { weights_of: "a" } },
      edges: [],
    },
    layout: {},
    notes: [],
  });

  test("when the owner goes, the first sharer becomes the owner", () => {
    const after = applyEdits(shared(), [{ op: "remove", node: "a" }], catalogue);
    expect(after.graph.nodes).toEqual({ b: { block: "ReLU", settings: { p: 1 } }, c: { weights_of: "b" } });
  });

  test("a new id of the owner is followed", () => {
    const after = applyEdits(shared(), [{ op: "rename", node: "a", to: "z" }], catalogue);
    expect(after.graph.nodes.b).toEqual({ weights_of: "z" });
  });
});

describe("ids", () => {
  test("good ids are accepted", () => {
    for (const id of fixture.ids.good) expect(idProblem(id, catalogue, {})).toBe("");
  });

  test("bad ids are refused with a reason", () => {
    for (const id of fixture.ids.bad) expect(idProblem(id, catalogue, {})).not.toBe("");
  });

  test("a refused name says whose it is, as Python told it", () => {
    expect(idProblem("Tensor", catalogue, {})).toBe("Tensor is used by the generated code; choose another.");
    for (const name of ["x", "y", "out"]) expect(idProblem(name, catalogue, {})).toBe("");
    const graph = { nodes: {}, edges: [] };
    expect(nameProblem("Tensor", graph, catalogue)).toBe("Tensor is used by the generated code; choose another.");
    expect(nameProblem("Block", graph, catalogue)).toBe("");
  });

  test("fresh ids skip what is taken and what is reserved", () => {
    expect(freshId("conv", catalogue, { conv1: 1, conv2: 1 })).toBe("conv3");
    expect(freshId("join", catalogue, {})).toBe("join");
    expect(freshId("join", catalogue, { join: 1 })).toBe("join1");
  });
});
