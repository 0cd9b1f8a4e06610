import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fromWire, toWire } from "../src/model/graph";
import { Ports } from "../src/model/ports";
import type { CompositeJson, GraphJson } from "../src/protocol";
import { isDrawn, makeIndependent, openNode, ungroupNode } from "../src/store/compositeCommands";
import { addNext } from "../src/store/insertCommands";
import { copied, pasteText } from "../src/store/editCommands";
import { bench, catalogue } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const LINES = [
  "class Gate(nn.Module):",
  "    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:",
  "        return x",
];
const gate = (lines = LINES): CompositeJson => ({
  python: lines,
  nodes: {},
  edges: [],
  read: {
    summary: "Lets through what a gate says.",
    inputs: [
      { name: "x", kind: "tensor" },
      { name: "mask", kind: "tensor", optional: true },
    ],
    outputs: [{ name: "output", kind: "tensor" }],
    settings: [
      { name: "channels", kind: "int", help: "", required: true, start: 8 },
      { name: "scale", kind: "float", help: "", default: 1 },
    ],
  },
});
const wire: GraphJson = {
  nodes: { image: { block: "Input" }, gate1: { block: "Gate" }, logits: { block: "Output" } },
  edges: ["image -> gate1.x", "gate1 -> logits"],
  composites: { Gate: gate() },
};

type B = ReturnType<typeof bench>;
const withGate = (part = gate()): B => {
  const b = bench();
  b.editor.attemptWhole((d) => ({ ...d, graph: { ...d.graph, composites: { Gate: part } } }));
  return b;
};

describe("a custom block is wired by what Python read off its class", () => {
  test("its ports have forward's names; mask may stay free", () => {
    const ports = new Ports(catalogue, fromWire(wire, catalogue));
    expect(ports.inputs("gate1")).toEqual([
      { name: "x", kind: "tensor" },
      { name: "mask", kind: "tensor", optional: true },
    ]);
    expect(ports.outputs("gate1")).toEqual([{ name: "output", kind: "tensor" }]);
  });

  test("it goes to Python as it came", () => {
    expect(toWire(fromWire(wire, catalogue), catalogue)).toEqual(wire);
  });

  test("a fresh one begins with what its settings need", () => {
    const b = withGate();
    const id = addNext(b.editor, "Gate", [0, 0]);
    expect(b.editor.state.drawing.graph.nodes[id]).toEqual({ block: "Gate", settings: { channels: 8 } });
  });
});

describe("a custom block holds no blocks", () => {
  test("opening it asks Python for its code, and the drawing stays", () => {
    const b = withGate();
    const asked: unknown[] = [];
    b.editor.onAsk = (name, args) => asked.push([name, args]);
    const id = addNext(b.editor, "Gate", [0, 0]);
    expect(openNode(b.editor, id)).toBe(true);
    expect(asked).toEqual([["code", { block: "Gate" }]]);
    expect(b.editor.state.scope).toEqual([]);
    expect(isDrawn(b.editor, id)).toBe(false);
  });

  test("a path of the report that leads into it selects its use", () => {
    const b = withGate();
    const id = addNext(b.editor, "Gate", [0, 0]);
    b.editor.show(`${id}.conv`);
    expect(b.editor.state.scope).toEqual([]);
  });

  test("it cannot be unpacked or made independent, and both say why", () => {
    const b = withGate();
    const id = addNext(b.editor, "Gate", [0, 0]);
    ungroupNode(b.editor, id);
    expect(b.editor.state.toast?.text).toBe(`${id} is not a composite of blocks.`);
    makeIndependent(b.editor, id);
    expect(b.editor.state.toast?.text).toBe("Gate is a custom block: copy its code under another name instead.");
  });
});

describe("a custom block travels with the blocks that use it", () => {
  const copyOf = (b: B) => {
    b.editor.select([addNext(b.editor, "Gate", [0, 0])]);
    return copied(b.editor);
  };

  test("with its code, its ports and its settings", () => {
    const to = bench();
    expect(pasteText(to.editor, copyOf(withGate()))).toBe("");
    expect(to.editor.state.whole.graph.composites?.Gate).toEqual(gate());
  });

  test("under a free name where Gate is another one: then its class says that name", () => {
    const to = withGate(gate(["class Gate(nn.Module):", "    pass"]));
    expect(pasteText(to.editor, copyOf(withGate()))).toBe("");
    expect(to.editor.state.whole.graph.composites?.Gate2?.python?.[0]).toBe("class Gate2(nn.Module):");
    expect(to.editor.state.whole.graph.composites?.Gate?.python).toEqual(["class Gate(nn.Module):", "    pass"]);
  });

  test("but not when what came with it is no code or no port", () => {
    const text = (part: object) =>
      JSON.stringify({
        layerloom_blocks: 1,
        nodes: { gate1: { block: "Gate" } },
        edges: [],
        composites: { Gate: part },
      });
    const said = "Gate in the copied text is not a valid custom block.";
    expect(pasteText(bench().editor, text({ ...gate(), python: "class Gate" }))).toBe(said);
    expect(pasteText(bench().editor, text({ python: LINES }))).toBe(said);
    expect(
      pasteText(
        bench().editor,
        text({
          ...gate(),
          read: { summary: "", inputs: [{ name: "<b>", kind: "tensor" }], outputs: [], settings: [] },
        }),
      ),
    ).toBe(said);
  });
});
