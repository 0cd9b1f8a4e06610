import { describe, expect, test } from "vitest";
import { Catalogue } from "../src/model/catalogue";
import { edgeId } from "../src/model/graph";
import { addAt, addNext, insertAt, isKnown } from "../src/store/editCommands";
import { bench, catalogueJson } from "./shared";

const ends = { input: { block: "Input" }, output: { block: "Output" } };
const parts = {
  abouts: { Gate: "A layer of which one half gates the other." },
  composites: {
    Half: { settings: {}, nodes: { ...ends, act: { block: "ReLU" } }, edges: ["input -> act", "act -> output"] },
    Gate: {
      settings: { size: 4 },
      nodes: { ...ends, half: { block: "Half" } },
      edges: ["input -> half", "half -> output"],
    },
  },
};

function withParts() {
  const b = bench();
  b.editor.set({ catalogue: new Catalogue({ ...catalogueJson, parts }) });
  return b;
}

describe("a composite that is ready to use", () => {
  test("is found by what it is called and by what it does", () => {
    const catalogue = new Catalogue({ ...catalogueJson, parts });
    expect(catalogue.parts("gate")).toEqual(["Gate"]);
    expect(catalogue.parts("half layer")).toEqual(["Gate"]);
    expect(catalogue.parts("attention")).toEqual([]);
    expect(catalogue.family("Gate")).toBe("composite");
  });

  test("comes with those inside of it, and goes with one undo", () => {
    const { editor } = withParts(),
      before = editor.state.drawing;
    const id = addNext(editor, "Gate", [0, 0]);
    const { graph } = editor.state.drawing;
    expect(graph.nodes[id]).toEqual({ block: "Gate" });
    expect(Object.keys(graph.composites ?? {})).toEqual(
      expect.arrayContaining([...Object.keys(before.graph.composites ?? {}), "Half", "Gate"]),
    );
    editor.undo();
    expect(editor.state.drawing).toEqual(before);
  });

  test("is brought in once", () => {
    const { editor } = withParts();
    addAt(editor, "Gate", [0, 0]);
    const first = editor.state.drawing.graph.composites;
    addAt(editor, "Gate", [400, 0]);
    expect(editor.state.drawing.graph.composites).toEqual(first);
    expect(Object.values(editor.state.drawing.graph.nodes).filter((n) => n.block === "Gate")).toHaveLength(2);
  });

  test("dropped on a wire stands between its ends", () => {
    const { editor } = withParts();
    const wire = editor.state.drawing.graph.edges[0];
    if (!wire) throw new Error("The drawing of the tests has a wire.");
    insertAt(editor, "Gate", wire, [0, 0]);
    const [id] = [...editor.state.selectedNodes];
    const wires = editor.state.drawing.graph.edges.map(edgeId);
    expect(wires).toContain(`${wire.source}.${wire.sourcePort} -> ${id}.input`);
    expect(wires).toContain(`${id}.output -> ${wire.target}.${wire.targetPort}`);
  });

  test("is no block where the catalogue has none", () => {
    expect(isKnown(bench().editor, "Gate")).toBe(false);
    expect(isKnown(withParts().editor, "Gate")).toBe(true);
  });
});
