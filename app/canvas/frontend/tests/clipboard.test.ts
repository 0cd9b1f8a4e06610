import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { groupSelected, openNode, promote, setDefault } from "../src/store/compositeCommands";
import { copied, pasteText, setSetting } from "../src/store/editCommands";
import { bench } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type B = ReturnType<typeof bench>;
const nodes = (b: B) => b.editor.state.drawing.graph.nodes;
const parts = (b: B) => Object.keys(b.editor.state.drawing.graph.composites ?? {});
const text = (more: object) => JSON.stringify({ layerloom_blocks: 1, nodes: {}, edges: [], ...more });

/** A project in which conv1 is the composite Part, with out_channels as its setting. */
function composed(channels: number): B {
  const b = bench();
  setSetting(b.editor, "conv1", "out_channels", channels);
  b.editor.select(["conv1"]);
  groupSelected(b.editor, "Part");
  return b;
}

describe("composites travel with the blocks that use them", () => {
  test("into a project without them, with the places of what is inside", () => {
    const from = composed(4),
      to = bench();
    from.editor.select(["part1"]);
    expect(pasteText(to.editor, copied(from.editor))).toBe("");
    expect(parts(to)).toEqual(["Part"]);
    expect(nodes(to).part1).toEqual({ block: "Part" });
    const inside = from.editor.state.whole.graph.composites?.Part?.layout;
    expect(to.editor.state.whole.graph.composites?.Part?.layout).toEqual(inside);
  });

  test("the same definition is used, another one gets a free name", () => {
    const from = composed(4),
      same = composed(4),
      other = composed(9);
    from.editor.select(["part1"]);
    const copy = copied(from.editor);
    pasteText(same.editor, copy);
    pasteText(other.editor, copy);
    expect(parts(same)).toEqual(["Part"]);
    expect(parts(other)).toEqual(["Part", "Part2"]);
    expect(nodes(other).part2).toEqual({ block: "Part2" });
  });

  test("only those that are needed are copied", () => {
    const b = composed(4);
    b.editor.select(["join"]);
    expect(JSON.parse(copied(b.editor))).not.toHaveProperty("composites");
  });

  test("expressions become their values where their settings are unknown", () => {
    const from = composed(4),
      to = bench();
    openNode(from.editor, "part1");
    promote(from.editor, "conv1", "out_channels");
    setDefault(from.editor, "Part", "out_channels", 32);
    from.editor.select(["conv1"]);
    expect(from.editor.state.drawing.graph.nodes.conv1?.settings?.out_channels).toBe("=out_channels");
    pasteText(to.editor, copied(from.editor));
    expect(nodes(to).conv2?.settings?.out_channels).toBe(32);
    pasteText(from.editor, copied(from.editor));
    expect(nodes(from).conv2?.settings?.out_channels).toBe("=out_channels");
  });
});

test("pasting twice does not put the blocks on top of each other", () => {
  const b = bench();
  b.editor.select(["conv1"]);
  const copy = copied(b.editor);
  pasteText(b.editor, copy);
  pasteText(b.editor, copy);
  const { conv2, conv3 } = b.editor.state.drawing.layout;
  expect([conv2, conv3]).toEqual([
    [344, 32],
    [376, 64],
  ]);
});

const conv = { block: "Conv2d" };
test.each([
  ["no JSON", "{layerloom_blocks", "The copied text is cut off or was changed: copy the blocks again."],
  ["something else", '{"a": 1}', "The clipboard has no blocks. Copy some here or in another project first."],
  ["a newer version", text({ layerloom_blocks: 2 }), "These blocks were copied in a newer version of Layerloom."],
  [
    "a wire to nowhere",
    text({ nodes: { a: conv }, edges: ["a -> zz"] }),
    "a -> zz leads to a block that was not copied.",
  ],
  [
    "a wire that is none",
    text({ nodes: { a: conv }, edges: ["a => b"] }),
    "The copied text has a wire that is not valid: a => b.",
  ],
  ["a loop", text({ nodes: { a: conv, b: conv }, edges: ["a -> b", "b -> a"] }), /would close a loop/],
  [
    "an unknown key",
    text({ nodes: { a: { ...conv, onload: "x" } } }),
    "a in the copied text has the key onload, which this version does not know.",
  ],
  [
    "deep settings",
    text({ nodes: { a: { ...conv, settings: { k: [[[[[[[[1]]]]]]]] } } } }),
    "a in the copied text is not a valid block.",
  ],
  [
    "a foreign owner",
    text({ nodes: { a: { weights_of: "far" } } }),
    "A copied block shares the weights of far, which was not copied with it.",
  ],
  [
    "a composite in itself",
    text({ nodes: { a: { block: "A" } }, composites: { A: { nodes: { b: { block: "A" } }, edges: [] } } }),
    "A in the copied text contains itself.",
  ],
  [
    "a composite of a bad name",
    text({ nodes: {}, composites: { __proto__x: { nodes: {}, edges: [] } } }),
    "__proto__x in the copied text is not a valid composite.",
  ],
  [
    "too many",
    text({ nodes: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`r${i}`, conv])) }),
    "The copied text has more than 2000 blocks.",
  ],
])("%s is refused in one sentence and changes nothing", (_, bad, reason) => {
  const b = bench();
  const before = b.editor.state;
  const said = pasteText(b.editor, bad);
  if (typeof reason === "string") expect(said).toBe(reason);
  else expect(said).toMatch(reason);
  expect(b.editor.state.drawing).toBe(before.drawing);
  expect(b.editor.state.past).toBe(before.past);
});
