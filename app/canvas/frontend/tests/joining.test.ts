import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { actionOf } from "../src/actions/actions";
import { edgeId } from "../src/model/graph";
import { addAt, addNext, connect, removeSelected, selectAll } from "../src/store/editCommands";
import { addResidual } from "../src/store/wireCommands";
import { bench, tensor } from "./shared";

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

function without(b: B, ...ids: string[]): string[] {
  b.editor.select(ids);
  removeSelected(b.editor);
  return b.editor.state.drawing.graph.edges.map(edgeId);
}

describe("deleting inside a chain", () => {
  test("joins the ends in the same undo step, and says so", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    const before = b.editor.state.drawing;
    expect(without(b, "relu1")).toEqual(["image.output -> conv1.input", "conv1.output -> logits.input"]);
    expect(b.editor.state.toast?.text).toBe("Connected conv1 to logits. Shift+Delete leaves a gap.");
    expect([...b.editor.state.selectedNodes]).toEqual(["conv1"]);
    b.editor.undo();
    expect(b.editor.state.drawing).toBe(before);
  });

  test("takes several blocks in a row as one, and each row by itself", () => {
    const b = chain("Input", "Conv2d", "ReLU", "BatchNorm2d", "Linear", "Output");
    expect(without(b, "conv1", "relu1", "linear1")).toEqual(["image.output -> bn.input", "bn.output -> logits.input"]);
  });

  test("lets everything that read the last block read the first end", () => {
    const b = chain("Input", "Conv2d", "ReLU", "BatchNorm2d", "Output");
    addResidual(b.editor, "relu1", "output", "logits");
    expect(without(b, "relu1")).toEqual([
      "image.output -> conv1.input",
      "conv1.output -> bn.input",
      "bn.output -> join.input",
      "conv1.output -> join.other",
      "join.output -> logits.input",
    ]);
  });

  test("a wire selected with its block joins all the same", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    b.editor.select(["relu1"], ["conv1.output -> relu1.input"]);
    removeSelected(b.editor);
    expect(b.editor.state.drawing.graph.edges.map(edgeId)).toEqual([
      "image.output -> conv1.input",
      "conv1.output -> logits.input",
    ]);
  });

  test("leaves a gap where two values come in", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    addResidual(b.editor, "image", "output", "relu1");
    expect(without(b, "join")).toEqual(["image.output -> conv1.input", "relu1.output -> logits.input"]);
  });

  test("leaves a gap where the dimensions do not fit, as the analysis saw them", () => {
    const b = chain("Input", "reshape", "Conv2d", "Output");
    b.editor.set({
      annRev: b.editor.state.semRev,
      annotations: { ...b.editor.state.annotations, nodes: { image: { outputs: { output: tensor(["N", 784]) } } } },
    });
    expect(without(b, "reshape1")).toEqual(["conv1.output -> logits.input"]);
  });

  test("leaves a gap where an integer would go into a tensor", () => {
    const b = chain("Input", "size");
    addAt(b.editor, "reshape", [200, 200]);
    connect(b.editor, { source: "size1", sourcePort: "output", target: "reshape1", targetPort: "shape.0" });
    expect(without(b, "size1")).toEqual([]);
  });

  test("with Shift leaves the gap open", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    b.editor.select(["relu1"]);
    const pressed = { key: "Delete", code: "Delete", ctrlKey: false, metaKey: false, altKey: false };
    expect(actionOf({ ...pressed, shiftKey: false })?.name).toBe("delete");
    actionOf({ ...pressed, shiftKey: true })?.perform({ ...b, root: null });
    expect(b.editor.state.drawing.graph.edges.map(edgeId)).toEqual(["image.output -> conv1.input"]);
  });
});
