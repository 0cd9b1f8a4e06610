import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Edge } from "../src/model/drawing";
import { find } from "../src/model/find";
import { edgeId, toWire } from "../src/model/graph";
import { problems } from "../src/store/annotations";
import { closeComposite, groupSelected } from "../src/store/compositeCommands";
import {
  addInFront,
  addResidual,
  addWired,
  blocksTaking,
  blocksFeeding,
  outputFor,
  replaceNode,
  residualWire,
  substitutes,
} from "../src/store/wireCommands";
import { addNote, writeNote } from "../src/store/noteCommands";
import type { Editor } from "../src/store/editor";
import { dropOnWire, isLoose } from "../src/store/insertCommands";
import { addAt, addNext, move, removeSelected, selectAll } from "../src/store/editCommands";
import { bench, catalogue, tensor } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type B = ReturnType<typeof bench>;

function chain(...blocks: string[]): B {
  const b = bench();
  selectAll(b.editor);
  removeSelected(b.editor);
  for (const block of blocks) addNext(b.editor, block, [0, 0]);
  return b;
}

const wires = (b: B) => b.editor.state.drawing.graph.edges.map(edgeId);

const edges = (editor: Editor) => new Set(toWire(editor.state.drawing.graph, catalogue).edges);

describe("a wire into the void", () => {
  test("offers only blocks that can take it", () => {
    const b = chain("Input", "Conv2d");
    expect(blocksTaking(b.editor, "conv1", "output", "")).not.toContain("Input");
    expect(blocksTaking(b.editor, "conv1", "output", "conv")).toEqual(["Conv2d", "Conv1d"]);
    const note = { outputs: { output: tensor(["N", 16, 26, 26]) } };
    b.editor.set({
      annRev: b.editor.state.semRev,
      annotations: { ...b.editor.state.annotations, nodes: { conv1: note } },
    });
    expect(blocksTaking(b.editor, "conv1", "output", "conv")).toEqual(["Conv2d"]);
  });

  test("gets the chosen block, wired, in one undo step", () => {
    const b = chain("Input", "Conv2d");
    const before = b.editor.state.drawing;
    addWired(b.editor, "cat", "conv1", "output", [400, 80]);
    expect(wires(b)).toEqual(["image.output -> conv1.input", "conv1.output -> cat1.tensors.0"]);
    expect(b.editor.state.drawing.layout.cat1).toEqual([400, 80]);
    b.editor.undo();
    expect(b.editor.state.drawing).toBe(before);
  });
});

describe("a residual", () => {
  test("adds what enters the block to what skips to it, in one undo step", () => {
    const b = chain("Input", "Conv2d", "BatchNorm2d", "ReLU", "Output");
    const before = b.editor.state.drawing;
    addResidual(b.editor, "conv1", "output", "relu1");
    expect(wires(b)).toEqual([
      "image.output -> conv1.input",
      "conv1.output -> bn.input",
      "bn.output -> join.input",
      "conv1.output -> join.other",
      "join.output -> relu1.input",
      "relu1.output -> logits.input",
    ]);
    b.editor.undo();
    expect(b.editor.state.drawing).toBe(before);
  });

  test("is not offered backwards, nor where the wire is there already", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    expect(residualWire(b.editor, "relu1", "output", "conv1")).toBeNull();
    expect(residualWire(b.editor, "conv1", "output", "relu1")).toBeNull();
    expect(residualWire(b.editor, "image", "output", "relu1")).not.toBeNull();
  });
});

describe("another block in the same place", () => {
  test("keeps wires and the settings that it has too", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    b.editor.attempt((d) => ({
      ...d,
      graph: {
        ...d.graph,
        nodes: { ...d.graph.nodes, conv1: { block: "Conv2d", settings: { out_channels: 5, kernel_size: 7 } } },
      },
    }));
    replaceNode(b.editor, "conv1", "Conv1d");
    expect(b.editor.state.drawing.graph.nodes.conv1).toEqual({
      block: "Conv1d",
      settings: { out_channels: 5, kernel_size: 7 },
    });
    expect(wires(b)).toEqual([
      "image.output -> conv1.input",
      "conv1.output -> relu1.input",
      "relu1.output -> logits.input",
    ]);
  });

  test("wires go to the ports of the same place where names differ", () => {
    const b = bench();
    replaceNode(b.editor, "join", "add");
    expect(wires(b).filter((w) => w.includes("-> join."))).toEqual([
      "conv1.output -> join.input",
      "image.output -> join.other",
    ]);
  });

  test("a block that is read is not replaced by one without an output", () => {
    const b = chain("Input", "Conv2d", "ReLU");
    expect(substitutes(b.editor, "conv1", "")).not.toContain("Output");
    expect(substitutes(b.editor, "relu1", "")).toContain("Output");
  });
});

describe("search", () => {
  test("answers ids, settings, blocks, and what stands in a composite", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    b.editor.select(["conv1", "relu1"]);
    groupSelected(b.editor, "Stage");
    const search = (query: string) =>
      find(b.editor.state.whole, problems(b.editor.state.annotations), catalogue, query).map((f) => f.path);
    expect(search("logits")).toEqual(["logits"]);
    expect(search("kernel_size=3")).toEqual(["stage1.conv1"]);
    expect(search("relu")).toEqual(["stage1.relu1"]);
    expect(search("nothing")).toEqual([]);
    b.editor.show("stage1.relu1");
    expect(b.editor.state.scope).toEqual(["stage1"]);
    expect([...b.editor.state.selectedNodes]).toEqual(["relu1"]);
  });

  test("answers the words of notes, and goes to them, inside a composite too", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    b.editor.select(["conv1", "relu1"]);
    groupSelected(b.editor, "Stage");
    b.editor.open(["stage1"]);
    addNote(b.editor, { node: "conv1" });
    writeNote(b.editor, "note-1", "Finds edges of every kind.", 64);
    closeComposite(b.editor);
    addNote(b.editor, { at: [0, 400] });
    writeNote(b.editor, "note-1", "Ask about strides", 64);
    const search = (query: string) => find(b.editor.state.whole, [], catalogue, query);
    expect(search("strides")).toEqual([{ path: "note-1", name: "Ask about strides", block: "", about: "", level: "" }]);
    expect(search("note edges")).toEqual([
      { path: "stage1.note-1", name: "Finds edges of every kind.", block: "", about: "on stage1.conv1", level: "" },
    ]);
    expect(search("").map((f) => f.block)).not.toContain("");
    b.editor.show("stage1.note-1");
    expect(b.editor.state.scope).toEqual(["stage1"]);
    expect([...b.editor.state.selectedNotes]).toEqual(["note-1"]);
  });

  test("answers errors", () => {
    const b = chain("Input", "Conv2d");
    const error = { node: "conv1", code: "image_too_small", message: "conv1 has a 5x5 kernel.", hint: "", fixes: [] };
    b.editor.set({ annotations: { ...b.editor.state.annotations, errors: [error] } });
    const found = find(b.editor.state.whole, problems(b.editor.state.annotations), catalogue, "error");
    expect(found).toEqual([
      { path: "conv1", name: "conv1", block: "Conv2d", about: "conv1 has a 5x5 kernel.", level: "error" },
    ]);
  });
});

describe("a block that is there already", () => {
  test("goes onto a wire in one undo step, in line with its ends", () => {
    const { editor } = chain("Input", "Conv2d", "ReLU", "Output");
    addAt(editor, "BatchNorm2d", [700, 400]);
    editor.set({ direction: "right" });
    move(editor, { conv1: [0, 0], relu1: [300, 0] });
    const steps = editor.state.past.length;
    const wire = editor.state.drawing.graph.edges.find((e) => e.target === "relu1") as Edge;
    expect(isLoose(editor, "bn")).toBe(true);
    expect(isLoose(editor, "relu1")).toBe(false);
    dropOnWire(editor, "bn", wire, [152, 24]);
    expect([...edges(editor)]).toEqual(["image -> conv1", "conv1 -> bn", "bn -> relu1", "relu1 -> logits"]);
    expect(Object.keys(editor.state.drawing.graph.nodes)).toEqual(["image", "conv1", "bn", "relu1", "logits"]);
    expect(editor.state.drawing.layout.bn?.[1]).toBe(0);
    expect(editor.state.past).toHaveLength(steps + 1);
  });
});

describe("a wire drawn backwards", () => {
  test("asks for what can feed the port, an Input too", () => {
    const { editor } = chain("Input", "Conv2d", "ReLU", "Output");
    addAt(editor, "add", [700, 400]);
    const found = blocksFeeding(editor, "join", "other", "");
    expect(found).toContain("Input");
    expect(found).toContain("Conv2d");
    expect(found).not.toContain("Output");
    expect(found).not.toContain("size");
    addInFront(editor, "ReLU", "join", "other", [600, 300]);
    expect(edges(editor)).toContain("relu2 -> join.other");
    expect([...editor.state.selectedNodes]).toEqual(["relu2"]);
  });

  test("puts the block on the wire of a port that is fed", () => {
    const { editor } = chain("Input", "Conv2d", "ReLU", "Output");
    expect(blocksFeeding(editor, "relu1", "input", "input")).not.toContain("Input");
    addInFront(editor, "BatchNorm2d", "relu1", "input", [600, 300]);
    expect([...edges(editor)]).toEqual(["image -> conv1", "conv1 -> bn", "bn -> relu1", "relu1 -> logits"]);
  });

  test("takes an output of the block it ends on, unless that reads from it", () => {
    const { editor } = chain("Input", "Conv2d", "ReLU", "Output");
    expect(outputFor(editor, "image", "relu1", "input")).toBe("output");
    expect(outputFor(editor, "relu1", "conv1", "input")).toBe("");
    expect(outputFor(editor, "logits", "conv1", "input")).toBe("");
  });
});
