import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { applyEdits } from "../src/model/edits";
import { toWire } from "../src/model/graph";
import { groupSelected, ungroupNode } from "../src/store/compositeCommands";
import { allFrozen, factorProblem, selectedWithWeights, setFactor, toggleFrozen } from "../src/store/learningCommands";
import { shareWeights, takeWeightsOf } from "../src/store/sharingCommands";
import { addNext, copied, pasteText, removeSelected, renameNode, selectAll } from "../src/store/editCommands";
import { bench, catalogue } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type B = ReturnType<typeof bench>;

/** A chain of blocks, of which the report counts weights in those named. */
function chain(blocks: string[], weighty: string[]): B {
  const b = bench();
  selectAll(b.editor);
  removeSelected(b.editor);
  for (const block of blocks) addNext(b.editor, block, [0, 0]);
  const nodes = Object.fromEntries(weighty.map((id) => [id, { params: 10 }]));
  b.editor.set({ annotations: { ...b.editor.state.annotations, nodes } });
  return b;
}

const file = (b: B) => toWire(b.editor.state.whole.graph, catalogue);
const frozen = () => {
  const b = chain(["Input", "Conv2d", "ReLU", "Conv2d", "Output"], ["conv1", "conv2"]);
  b.editor.select(["conv1", "relu1"]);
  toggleFrozen(b.editor);
  return b;
};

describe("freezing", () => {
  test("marks the selected blocks that have weights, and takes the marks away again", () => {
    const b = frozen();
    expect(file(b).nodes.conv1?.frozen).toBe(true);
    expect(file(b).nodes.relu1).toEqual({ block: "ReLU" });
    expect(allFrozen(b.editor, selectedWithWeights(b.editor))).toBe(true);
    toggleFrozen(b.editor);
    expect(file(b).nodes.conv1).not.toHaveProperty("frozen");
  });

  test("is one undo step", () => {
    const b = chain(["Input", "Conv2d", "Conv2d", "Output"], ["conv1", "conv2"]);
    const before = b.editor.state.drawing;
    b.editor.select(["conv1", "conv2"]);
    toggleFrozen(b.editor);
    b.editor.undo();
    expect(b.editor.state.drawing).toBe(before);
  });

  test("of nothing with weights changes nothing and says so", () => {
    const b = chain(["Input", "ReLU", "Output"], []);
    const before = b.editor.state.drawing;
    b.editor.select(["relu1"]);
    toggleFrozen(b.editor);
    expect(b.editor.state.drawing).toBe(before);
    expect(b.editor.state.toast?.text).toContain("Select blocks with weights first");
  });

  test("stays with a block that is renamed, grouped, unpacked, copied", () => {
    const b = frozen();
    renameNode(b.editor, "conv1", "body");
    b.editor.select(["body", "relu1"]);
    groupSelected(b.editor, "Stage");
    expect(file(b).composites?.Stage?.nodes.body?.frozen).toBe(true);
    ungroupNode(b.editor, "stage1");
    expect(file(b).nodes.body?.frozen).toBe(true);
    b.editor.select(["body"]);
    expect(pasteText(b.editor, copied(b.editor))).toBe("");
    const [id = ""] = b.editor.state.selectedNodes;
    expect(file(b).nodes[id]?.frozen).toBe(true);
  });

  test("of a composite goes to its blocks when it is unpacked; factors multiply", () => {
    const b = chain(["Input", "Conv2d", "ReLU", "Output"], ["conv1"]);
    setFactor(b.editor, "conv1", 0.1);
    b.editor.select(["conv1", "relu1"]);
    groupSelected(b.editor, "Stage");
    b.editor.select(["stage1"]);
    setFactor(b.editor, "stage1", 0.5);
    toggleFrozen(b.editor);
    expect(file(b).nodes.stage1).toEqual({ block: "Stage", lr_factor: 0.5, frozen: true });
    ungroupNode(b.editor, "stage1");
    expect(file(b).nodes.conv1).toMatchObject({ frozen: true, lr_factor: 0.05 });
  });

  test("belongs to the owner of shared weights", () => {
    const b = frozen();
    shareWeights(b.editor, "conv1");
    const [id = ""] = b.editor.state.selectedNodes;
    expect(file(b).nodes[id]).toEqual({ weights_of: "conv1" });
    toggleFrozen(b.editor);
    expect(file(b).nodes.conv1).not.toHaveProperty("frozen");
    toggleFrozen(b.editor);
    takeWeightsOf(b.editor, "conv1", "conv2");
    expect(file(b).nodes.conv1).toEqual({ weights_of: "conv2" });
  });

  test("goes to the heir when the owner of shared weights is deleted", () => {
    const b = frozen();
    shareWeights(b.editor, "conv1");
    const [id = ""] = b.editor.state.selectedNodes;
    b.editor.select(["conv1"]);
    removeSelected(b.editor);
    expect(file(b).nodes[id]).toMatchObject({ block: "Conv2d", frozen: true });
  });
});

test("a fix of the analysis unfreezes blocks", () => {
  const b = frozen();
  const next = applyEdits(
    b.editor.state.drawing,
    [{ op: "learn", node: "conv1", frozen: false, lr_factor: 0.1 }],
    catalogue,
  );
  expect(next.graph.nodes.conv1).toMatchObject({ lr_factor: 0.1 });
  expect(next.graph.nodes.conv1).not.toHaveProperty("frozen");
});

test("a factor is a number above zero", () => {
  expect(["0.1", "1e-3", " 2 ", "1000"].map(factorProblem)).toEqual(["", "", "", ""]);
  expect(["", "0", "-1", "x", "1001"].every((text) => factorProblem(text).startsWith("A number from 0.000001"))).toBe(
    true,
  );
});
