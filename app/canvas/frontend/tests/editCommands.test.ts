import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { edgeId } from "../src/model/graph";
import {
  addAt,
  addNext,
  applyFix,
  layOut,
  connect,
  copied,
  duplicate,
  insertAt,
  pasteText,
  removeSelected,
  renameNode,
  selectAll,
  setDisplay,
  setSetting,
} from "../src/store/editCommands";
import { bench } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const ids = (b: ReturnType<typeof bench>) => Object.keys(b.editor.state.drawing.graph.nodes);
const wires = (b: ReturnType<typeof bench>) => b.editor.state.drawing.graph.edges.map(edgeId);

describe("adding", () => {
  test("blocks pressed one after the other become a wired chain in file order", () => {
    const b = bench();
    selectAll(b.editor);
    removeSelected(b.editor);
    for (const block of ["Input", "Conv2d", "ReLU", "Output"]) addNext(b.editor, block, [0, 0]);
    expect(ids(b)).toEqual(["image", "conv1", "relu1", "logits"]);
    expect(wires(b)).toEqual([
      "image.output -> conv1.input",
      "conv1.output -> relu1.input",
      "relu1.output -> logits.input",
    ]);
    expect(b.editor.state.drawing.graph.nodes.conv1?.settings).toEqual({ out_channels: 16, kernel_size: 3 });
  });

  test("after a block with one wire, the new one goes in between", () => {
    const b = bench();
    b.editor.select(["scale"]);
    addNext(b.editor, "ReLU", [0, 0]);
    expect(ids(b)).toEqual(["image", "conv1", "join", "scale", "relu1", "logits"]);
    expect(wires(b)).toContain("scale.output -> relu1.input");
    expect(wires(b)).toContain("relu1.output -> logits.input");
  });

  test("after a block with several wires, it begins another branch", () => {
    const b = bench();
    b.editor.select(["image"]);
    const before = wires(b);
    addNext(b.editor, "ReLU", [0, 0]);
    expect(wires(b).filter((w) => !before.includes(w))).toEqual(["image.output -> relu1.input"]);
  });

  test("after the Output, it goes in front of it", () => {
    const b = bench();
    b.editor.select(["logits"]);
    addNext(b.editor, "ReLU", [0, 0]);
    expect(wires(b)).toContain("scale.output -> relu1.input");
    expect(wires(b)).toContain("relu1.output -> logits.input");
  });

  test("a block dropped on a wire takes its place in it", () => {
    const b = bench();
    const wire = b.editor.state.drawing.graph.edges[1]!;
    insertAt(b.editor, "BatchNorm2d", wire, [400, 0]);
    expect(wires(b)).toContain("conv1.output -> bn.input");
    expect(wires(b)).toContain("bn.output -> join.tensors.0");
    expect(ids(b)).toEqual(["image", "conv1", "bn", "join", "scale", "logits"]);
  });
});

describe("history", () => {
  test("each verb is one step back, to the very same drawing", () => {
    const b = bench();
    const states = [b.editor.state.drawing];
    const step = (verb: () => unknown) => {
      verb();
      vi.advanceTimersByTime(1000);
      states.push(b.editor.state.drawing);
    };
    step(() => addAt(b.editor, "ReLU", [0, 400]));
    step(() => connect(b.editor, { source: "conv1", sourcePort: "output", target: "relu1", targetPort: "input" }));
    step(() => setSetting(b.editor, "conv1", "stride", 2));
    step(() => renameNode(b.editor, "conv1", "stem"));
    step(() => layOut(b.editor, "down"));
    step(() => setDisplay(b.editor, "stem", "label", "first"));
    for (let i = states.length - 1; i > 0; i--) {
      expect(b.editor.state.drawing).toBe(states[i]);
      b.editor.undo();
    }
    expect(b.editor.state.drawing).toBe(states[0]);
    for (let i = 1; i < states.length; i++) b.editor.redo();
    expect(b.editor.state.drawing).toBe(states[states.length - 1]);
  });

  test("500 edits can all be taken back", () => {
    const b = bench();
    const first = b.editor.state.drawing;
    for (let i = 0; i < 500; i++) addAt(b.editor, "ReLU", [i, 0]);
    for (let i = 0; i < 500; i++) b.editor.undo();
    expect(b.editor.state.drawing).toBe(first);
    expect(b.editor.state.past).toHaveLength(0);
  });

  test("typing in one field within 0.8 s is one step, after a pause another", () => {
    const b = bench();
    setSetting(b.editor, "conv1", "out_channels", 1);
    setSetting(b.editor, "conv1", "out_channels", 12);
    vi.advanceTimersByTime(900);
    setSetting(b.editor, "conv1", "out_channels", 128);
    expect(b.editor.state.past).toHaveLength(2);
    b.editor.undo();
    expect(b.editor.state.drawing.graph.nodes.conv1?.settings?.out_channels).toBe(12);
  });

  test("a new edit after undo ends the way forward", () => {
    const b = bench();
    addAt(b.editor, "ReLU", [0, 0]);
    b.editor.undo();
    addAt(b.editor, "Conv2d", [0, 0]);
    b.editor.redo();
    expect(ids(b)).not.toContain("relu1");
  });
});

describe("copy and paste", () => {
  test("pasted blocks get fresh ids and keep the wires among them", () => {
    const b = bench();
    b.editor.select(["conv1", "join"]);
    duplicate(b.editor);
    expect(ids(b)).toEqual(["image", "conv1", "join", "scale", "conv2", "join1", "logits"]);
    expect(wires(b)).toContain("conv2.output -> join1.tensors.0");
    expect([...b.editor.state.selectedNodes]).toEqual(["conv2", "join1"]);
    b.editor.undo();
    expect(ids(b)).toEqual(["image", "conv1", "join", "scale", "logits"]);
  });

  test("copied blocks are text that another project can paste", () => {
    const from = bench(),
      to = bench();
    from.editor.select(["conv1"]);
    const text = copied(from.editor);
    expect(JSON.parse(text)).toMatchObject({ layerloom_blocks: 1, nodes: { conv1: { block: "Conv2d" } } });
    expect(pasteText(to.editor, text)).toBe("");
    expect(ids(to)).toContain("conv2");
  });

  test("other text on the clipboard is no blocks", () => {
    const b = bench();
    const before = b.editor.state.drawing;
    for (const text of [
      "",
      "hello",
      "{",
      '{"layerloom_blocks": 1}',
      '{"layerloom_blocks":1,"nodes":{"a":3},"edges":[]}',
    ]) {
      expect(pasteText(b.editor, text)).not.toBe("");
    }
    expect(b.editor.state.drawing).toBe(before);
  });

  test("hostile ids on the clipboard become ordinary ones", () => {
    const b = bench();
    const nodes = { __proto__x: { block: "ReLU" }, "a b();": { block: "ReLU" }, self: { block: "ReLU" } };
    pasteText(b.editor, JSON.stringify({ layerloom_blocks: 1, nodes, edges: [] }));
    for (const id of ids(b)) expect(id).toMatch(/^[A-Za-z]\w*$/);
    expect(ids(b)).not.toContain("self");
  });
});

describe("other verbs", () => {
  test("a fix is one undo step, and selects what it added", () => {
    const b = bench();
    applyFix(b.editor, {
      title: "Normalise",
      edits: [
        { op: "insert", id: "bn1", block: "BatchNorm2d", target: "join", port: "tensors.0" },
        { op: "set", node: "conv1", settings: { bias: false } },
      ],
    });
    expect([...b.editor.state.selectedNodes]).toEqual(["bn1"]);
    expect(b.editor.state.drawing.graph.nodes.conv1?.settings?.bias).toBe(false);
    b.editor.undo();
    expect(ids(b)).not.toContain("bn1");
    expect(b.editor.state.past).toHaveLength(0);
  });

  test("a fix that does not fit any more changes nothing and says so", () => {
    const b = bench();
    const before = b.editor.state.drawing;
    applyFix(b.editor, {
      title: "Old",
      edits: [
        { op: "remove", node: "scale" },
        { op: "remove", node: "gone" },
      ],
    });
    expect(b.editor.state.drawing).toBe(before);
    expect(b.editor.state.toast?.text).toBe("gone is not in the graph.");
  });

  test("deleting blocks takes their wires and places along", () => {
    const b = bench();
    b.editor.select(["join"]);
    removeSelected(b.editor);
    expect(wires(b)).toEqual(["image.output -> conv1.input", "scale.output -> logits.input"]);
    expect(b.editor.state.drawing.layout).not.toHaveProperty("join");
  });

  test("a taken id is refused with the reason", () => {
    const b = bench();
    expect(renameNode(b.editor, "conv1", "join")).toBe(false);
    expect(b.editor.state.toast?.text).toBe("join is already the id of another node.");
  });

  test("a setting at None stays in the file as null", () => {
    const b = bench();
    setSetting(b.editor, "conv1", "padding", null);
    expect(b.editor.state.drawing.graph.nodes.conv1?.settings?.padding).toBe(null);
    setSetting(b.editor, "conv1", "padding", undefined);
    expect(b.editor.state.drawing.graph.nodes.conv1?.settings).not.toHaveProperty("padding");
  });
});
