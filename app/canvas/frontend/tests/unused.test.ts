/** Blocks that forward does not call: what keeps them so, and what uses them. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isUnused } from "../src/model/graph";
import { Ports } from "../src/model/ports";
import type { GraphJson, NodeJson } from "../src/protocol";
import { groupSelected, ungroupNode } from "../src/store/compositeCommands";
import { connect, copied, duplicate, pasteText, removeSelected, renameNode } from "../src/store/editCommands";
import { takeWeightsOf } from "../src/store/sharingCommands";
import { replaceNode } from "../src/store/wireCommands";
import { bench, Python } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const head = (more: Partial<NodeJson> = {}): NodeJson => ({
  block: "Linear",
  settings: { in_features: 8, out_features: 4 },
  unused: true,
  ...more,
});
const GRAPH: GraphJson = {
  nodes: {
    image: { block: "Input", settings: { shape: [8] } },
    fc: { block: "Linear" },
    logits: { block: "Output" },
    aux: head(),
    old: head({ label: "before" }),
  },
  edges: ["image -> fc", "fc -> logits"],
};

function opened(more: Partial<GraphJson> = {}) {
  return bench(Object.assign(new Python(), { graph: { ...GRAPH, ...more }, layout: {} }));
}

type B = ReturnType<typeof bench>;
const nodes = (b: B) => b.editor.state.drawing.graph.nodes;
const wire = (b: B, text: string) => {
  const edge = new Ports(b.editor.state.catalogue, b.editor.state.drawing.graph).parse(text);
  return connect(b.editor, edge as NonNullable<typeof edge>);
};
const unused = (b: B) => Object.keys(nodes(b)).filter((id) => isUnused(b.editor.state.drawing.graph, id));

describe("a wire", () => {
  test("into one makes it an ordinary block, in one undo step", () => {
    const b = opened();
    const before = b.editor.state.drawing;
    wire(b, "fc -> aux");
    expect(nodes(b).aux).toEqual({ block: "Linear", settings: { in_features: 8, out_features: 4 } });
    expect(unused(b)).toEqual(["old"]);
    b.editor.undo();
    expect(b.editor.state.drawing).toEqual(before);
    b.editor.redo();
    expect(nodes(b).aux).not.toHaveProperty("unused");
  });

  test("that is taken away again leaves an ordinary block without a wire", () => {
    const b = opened();
    wire(b, "fc -> aux");
    b.editor.select([], ["fc.output -> aux.input"]);
    removeSelected(b.editor);
    expect(b.editor.state.drawing.graph.edges).toHaveLength(2);
    expect(unused(b)).toEqual(["old"]);
  });

  test("from one that takes inputs does not use it", () => {
    const b = opened();
    wire(b, "aux -> old");
    expect(unused(b)).toEqual(["aux"]);
  });
});

describe("a copy", () => {
  test("is not used either: duplicated, and pasted into another project", () => {
    const b = opened(),
      other = bench();
    b.editor.select(["aux"]);
    const text = copied(b.editor);
    duplicate(b.editor);
    expect(unused(b).sort()).toEqual(["aux", "aux1", "old"]);
    expect(pasteText(other.editor, text)).toBe("");
    expect(nodes(other).aux).toEqual(head());
  });

  test("with a wire into it is used, as its original is", () => {
    const b = opened({ edges: [...GRAPH.edges, "fc -> aux"] });
    b.editor.select(["fc", "aux"]);
    duplicate(b.editor);
    const copies = Object.entries(nodes(b)).filter(([id]) => !Object.hasOwn(GRAPH.nodes, id));
    expect(copies.map(([, n]) => n.unused)).toEqual([undefined, undefined]);
  });

  test("of which the mark is no yes or no is refused", () => {
    const text = JSON.stringify({ layerloom_blocks: 1, nodes: { a: { block: "Linear", unused: "yes" } }, edges: [] });
    expect(pasteText(opened().editor, text)).toBe("a in the copied text is not a valid block.");
  });
});

describe("the mark stays", () => {
  test("when the block is renamed, and when it becomes another block", () => {
    const b = opened();
    renameNode(b.editor, "aux", "head");
    replaceNode(b.editor, "head", "Conv2d");
    expect(nodes(b).head).toMatchObject({ block: "Conv2d", unused: true });
  });

  test("in a composite of unused blocks only, which has no ends and is unused itself; expanded, all is as before", () => {
    const b = opened();
    b.editor.select(["aux", "old"]);
    groupSelected(b.editor, "Heads");
    const { graph } = b.editor.state.whole;
    const use = Object.keys(graph.nodes).find((id) => graph.nodes[id]?.block === "Heads") as string;
    expect(graph.nodes[use]).toEqual({ block: "Heads", unused: true });
    expect(graph.composites?.Heads).toMatchObject({
      nodes: { aux: head(), old: head({ label: "before" }) },
      edges: [],
    });
    expect(Object.keys(graph.composites?.Heads?.nodes ?? {})).toEqual(["aux", "old"]);
    ungroupNode(b.editor, use);
    expect(nodes(b)).toEqual(GRAPH.nodes);
  });

  test("in a composite with blocks that are used, which is used", () => {
    const b = opened();
    b.editor.select(["fc", "aux"]);
    groupSelected(b.editor, "Body");
    const { graph } = b.editor.state.whole;
    const use = Object.keys(graph.nodes).find((id) => graph.nodes[id]?.block === "Body") as string;
    expect(graph.nodes[use]).toEqual({ block: "Body" });
    expect(graph.composites?.Body?.nodes.aux).toEqual(head());
    expect(graph.composites?.Body?.edges).toEqual(["input -> fc", "fc -> output"]);
    ungroupNode(b.editor, use);
    expect(unused(b).sort()).toEqual(["aux", "old"]);
  });
});

test("an unused composite whose blocks would be called is not expanded before it is wired", () => {
  const part = {
    nodes: { input: { block: "Input" }, fc: { block: "Linear" }, output: { block: "Output" } },
    edges: ["input -> fc", "fc -> output"],
  };
  const b = opened({ nodes: { ...GRAPH.nodes, aux: { block: "Head", unused: true } }, composites: { Head: part } });
  const before = b.editor.state.drawing;
  ungroupNode(b.editor, "aux");
  expect(b.editor.state.drawing).toBe(before);
  expect(b.editor.state.toast?.text).toBe(
    "aux is not used by forward, but Head has blocks that are: draw a wire into aux first.",
  );
});

test("a block that uses the weights of another is called", () => {
  const b = opened();
  takeWeightsOf(b.editor, "aux", "fc");
  expect(nodes(b).aux).toEqual({ weights_of: "fc" });
});
