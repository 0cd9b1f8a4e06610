import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { evaluate, expressionProblem } from "../src/model/expression";
import { toWire } from "../src/model/graph";
import { allPlaces, withPlaces } from "../src/model/scope";
import {
  closeComposite,
  groupSelected,
  makeIndependent,
  openNode,
  promote,
  removeDefault,
  renameComposite,
  renameDefault,
  setDefault,
  ungroupNode,
} from "../src/store/compositeCommands";
import {
  addAt,
  addNext,
  connect,
  copied,
  pasteText,
  removeSelected,
  renameNode,
  selectAll,
  setDisplay,
  setSetting,
} from "../src/store/editCommands";
import { bench, catalogue } from "./shared";

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

const file = (b: B) => toWire(b.editor.state.whole.graph, catalogue);

function grouped(): B {
  const b = chain("Input", "Conv2d", "ReLU", "Output");
  b.editor.select(["conv1", "relu1"]);
  groupSelected(b.editor, "Stage");
  return b;
}

describe("grouping", () => {
  test("crossing wires become Inputs and Outputs", () => {
    const b = grouped();
    expect(Object.keys(file(b).nodes)).toEqual(["image", "stage1", "logits"]);
    expect(file(b).edges).toEqual(["image -> stage1", "stage1 -> logits"]);
    expect(file(b).composites?.Stage).toEqual({
      settings: {},
      nodes: {
        input: { block: "Input" },
        conv1: { block: "Conv2d", settings: { out_channels: 16, kernel_size: 3 } },
        relu1: { block: "ReLU" },
        output: { block: "Output" },
      },
      edges: ["input -> conv1", "conv1 -> relu1", "relu1 -> output"],
    });
  });

  test("is one undo step", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    const before = b.editor.state.drawing;
    b.editor.select(["conv1", "relu1"]);
    groupSelected(b.editor, "Stage");
    b.editor.undo();
    expect(b.editor.state.drawing).toBe(before);
  });

  test("one output that feeds several blocks is one Input", () => {
    const b = chain("Input", "Conv2d", "add", "Output");
    connect(b.editor, { source: "image", sourcePort: "output", target: "join", targetPort: "other" });
    b.editor.select(["conv1", "join"]);
    groupSelected(b.editor, "Skip");
    expect(file(b).composites?.Skip?.edges).toEqual([
      "input -> conv1",
      "conv1 -> join.input",
      "input -> join.other",
      "join -> output",
    ]);
    expect(file(b).edges).toEqual(["image -> skip1", "skip1 -> logits"]);
  });

  test("a block between the selected ones is named, and nothing changes", () => {
    const b = chain("Input", "Conv2d", "ReLU", "BatchNorm2d", "Output");
    const before = b.editor.state.drawing;
    b.editor.select(["conv1", "bn"]);
    expect(groupSelected(b.editor, "Stage")).toBe(false);
    expect(b.editor.state.toast?.text).toBe("relu1 is between the selected blocks: select it too.");
    expect(b.editor.state.drawing).toBe(before);
  });

  test("unpacking gives the same graph back", () => {
    const b = chain("Input", "Conv2d", "ReLU", "Output");
    const before = file(b);
    b.editor.select(["conv1", "relu1"]);
    groupSelected(b.editor, "Stage");
    ungroupNode(b.editor, "stage1");
    const { nodes, edges } = file(b);
    expect({ nodes, edges }).toEqual({ nodes: before.nodes, edges: before.edges });
    expect(Object.keys(nodes)).toEqual(Object.keys(before.nodes));
  });
});

describe("an open composite", () => {
  test("an edit inside changes every use, and undo comes back to it", () => {
    const b = grouped();
    addNext(b.editor, "Stage", [0, 0]);
    openNode(b.editor, "stage1");
    expect(b.editor.state.path).toBe("stage1.");
    setSetting(b.editor, "conv1", "out_channels", 8);
    expect(file(b).composites?.Stage?.nodes.conv1?.settings).toEqual({ out_channels: 8, kernel_size: 3 });
    closeComposite(b.editor);
    expect([...b.editor.state.selectedNodes]).toEqual(["stage1"]);
    b.editor.undo();
    expect(b.editor.state.scope).toEqual(["stage1"]);
    expect(b.editor.state.drawing.graph.nodes.conv1?.settings?.out_channels).toBe(16);
  });

  test("a repeated use shows the shapes of its first repetition", () => {
    const b = grouped();
    setDisplay(b.editor, "stage1", "repeat", 3);
    openNode(b.editor, "stage1");
    expect(b.editor.state.path).toBe("stage1.0.");
  });

  test("wires outside follow a renamed end, and go with a deleted one", () => {
    const b = grouped();
    openNode(b.editor, "stage1");
    renameNode(b.editor, "output", "result");
    expect(b.editor.state.whole.graph.edges.map((e) => e.sourcePort)).toEqual(["output", "result"]);
    b.editor.select(["result"]);
    removeSelected(b.editor);
    expect(file(b).edges).toEqual(["image -> stage1"]);
  });

  test("cannot hold itself", () => {
    const b = grouped();
    openNode(b.editor, "stage1");
    const before = b.editor.state.whole;
    addAt(b.editor, "Stage", [0, 0]);
    expect(b.editor.state.toast?.text).toBe("Stage cannot contain itself.");
    expect(b.editor.state.whole).toBe(before);
  });

  test("its places travel as Name.node and come back", () => {
    const b = grouped();
    const places = allPlaces(b.editor.state.whole);
    expect(Object.keys(places)).toContain("Stage.conv1");
    expect(allPlaces(withPlaces(b.editor.state.whole.graph, places))).toEqual(places);
  });

  test("two groups inside each other open and close one by one", () => {
    const b = grouped();
    openNode(b.editor, "stage1");
    b.editor.select(["relu1"]);
    groupSelected(b.editor, "Inner");
    openNode(b.editor, "inner1");
    expect(b.editor.state.path).toBe("stage1.inner1.");
    closeComposite(b.editor);
    expect(b.editor.state.scope).toEqual(["stage1"]);
    expect(file(b).composites?.Stage?.edges).toEqual(["input -> conv1", "conv1 -> inner1", "inner1 -> output"]);
  });
});

describe("definitions", () => {
  test("an independent use has its own, the other keeps the old one", () => {
    const b = grouped();
    addNext(b.editor, "Stage", [0, 0]);
    makeIndependent(b.editor, "stage2");
    openNode(b.editor, "stage2");
    setSetting(b.editor, "conv1", "out_channels", 4);
    expect(file(b).nodes.stage2?.block).toBe("Stage2");
    expect(file(b).composites?.Stage?.nodes.conv1?.settings?.out_channels).toBe(16);
    expect(file(b).composites?.Stage2?.nodes.conv1?.settings?.out_channels).toBe(4);
  });

  test("a number becomes a setting, is renamed everywhere, and is evaluated on unpacking", () => {
    const b = grouped();
    openNode(b.editor, "stage1");
    promote(b.editor, "conv1", "out_channels");
    closeComposite(b.editor);
    setSetting(b.editor, "stage1", "out_channels", 32);
    renameDefault(b.editor, "Stage", "out_channels", "channels");
    expect(file(b).composites?.Stage?.settings).toEqual({ channels: 16 });
    expect(file(b).composites?.Stage?.nodes.conv1?.settings?.out_channels).toBe("=channels");
    expect(file(b).nodes.stage1?.settings).toEqual({ channels: 32 });
    expect(removeDefault(b.editor, "Stage", "channels")).toBe(false);
    expect(b.editor.state.toast?.text).toBe("conv1 uses channels: give it a value of its own first.");
    ungroupNode(b.editor, "stage1");
    expect(file(b).nodes.conv1?.settings?.out_channels).toBe(32);
  });

  test("a repeated use unpacks to a chain", () => {
    const b = grouped();
    setDisplay(b.editor, "stage1", "repeat", 2);
    ungroupNode(b.editor, "stage1");
    expect(file(b).edges).toEqual([
      "image -> conv1",
      "conv1 -> relu1",
      "relu1 -> conv2",
      "conv2 -> relu2",
      "relu2 -> logits",
    ]);
  });

  test("the first wire goes through all copies of a repeated use, the others go to each", () => {
    const b = chain("Input", "Conv2d", "add", "Output");
    connect(b.editor, { source: "image", sourcePort: "output", target: "join", targetPort: "other" });
    b.editor.select(["join"]);
    groupSelected(b.editor, "Skip");
    setDisplay(b.editor, "skip1", "repeat", 2);
    ungroupNode(b.editor, "skip1");
    const joins = file(b).edges.filter((edge) => edge.includes("join"));
    expect(joins).toEqual([
      "conv1 -> join.input",
      "image -> join.other",
      "join -> join1.input",
      "image -> join1.other",
      "join1 -> logits",
    ]);
  });

  test("a new name is used everywhere", () => {
    const b = grouped();
    renameComposite(b.editor, "Stage", "Body");
    expect(Object.keys(file(b).composites ?? {})).toEqual(["Body"]);
    expect(file(b).nodes.stage1?.block).toBe("Body");
  });

  test("travel with their blocks; another definition of that name gets a free name", () => {
    const b = grouped();
    b.editor.select(["stage1"]);
    const text = copied(b.editor);
    const other = chain("Input");
    pasteText(other.editor, text);
    expect(file(other).composites?.Stage?.edges).toEqual(["input -> conv1", "conv1 -> relu1", "relu1 -> output"]);
    pasteText(other.editor, text);
    expect(Object.keys(file(other).composites ?? {})).toEqual(["Stage"]);
    setDefault(other.editor, "Stage", "depth", 2);
    pasteText(other.editor, text);
    expect(Object.keys(file(other).composites ?? {})).toEqual(["Stage", "Stage2"]);
    expect(file(other).nodes.stage3?.block).toBe("Stage2");
  });
});

test("expressions are worth what Python says", () => {
  const env = { channels: 16, size: [3, 3] };
  expect(evaluate("=channels * 2 + 1", env)).toBe(33);
  expect(evaluate("=-(channels - 3) // 2", env)).toBe(-7);
  expect(evaluate("=size", env)).toEqual([3, 3]);
  expect(expressionProblem("=width", env)).toBe("width is not a setting of this composite (it has: channels, size).");
  expect(expressionProblem("=channels /", env)).toBe("An expression holds names, whole numbers, + - * // and ( ).");
  expect(expressionProblem("=channels // 0", env)).toBe("It divides by zero.");
});
