import { describe, expect, test } from "vitest";
import { cardSize } from "../src/model/cardSize";
import type { Editor } from "../src/store/editor";
import { closeComposite, groupSelected, openNode, ungroupNode } from "../src/store/compositeCommands";
import { addAt, addNext, applyFix, layOut, connect, move } from "../src/store/editCommands";
import { bench } from "./shared";

/** Pairs of blocks of which one covers the other. */
function covered(editor: Editor): string[] {
  const {
    drawing: { graph, layout },
    direction,
  } = editor.state;
  const all = Object.keys(graph.nodes).map((id) => {
    const [x, y] = layout[id] as [number, number];
    return { id, x, y, ...cardSize(editor.ports(), id, direction) };
  });
  return all.flatMap((a, i) =>
    all
      .slice(i + 1)
      .filter((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
      .map((b) => `${a.id} over ${b.id}`),
  );
}

/** An input and loose blocks after it, put by hand and close together. */
function crowd(...places: [number, number][]): Editor {
  const { editor } = bench();
  editor.load({ graph: { nodes: {}, edges: [] }, layout: {}, notes: [] }, false);
  places.forEach((at, i) => addAt(editor, i ? "ReLU" : "Input", at));
  return editor;
}

describe("a block that joins a layout made by hand covers no neighbour", () => {
  test("a card with two inputs is higher than others", () => {
    const editor = crowd([0, 0], [400, 96], [400, 190]);
    editor.select(["image"]);
    addNext(editor, "add", [0, 0]);
    expect(covered(editor)).toEqual([]);
  });

  test("what makes way pushes what stands half in its row", () => {
    const editor = crowd([0, 0], [232, 56], [464, 112], [696, 168]);
    connect(editor, { source: "image", sourcePort: "output", target: "relu1", targetPort: "input" });
    editor.select(["image"]);
    addNext(editor, "add", [0, 0]);
    expect(covered(editor)).toEqual([]);
  });
});

describe("a block that a fix puts on a wire back to a row below", () => {
  const fix = (port: string) => ({
    title: "Project",
    edits: [
      {
        op: "insert" as const,
        id: "conv1",
        block: "Conv2d",
        settings: { out_channels: 16, kernel_size: 1 },
        target: "relu2",
        port,
      },
    ],
  });

  test("stands at the end of the row where it begins, if there is room", () => {
    const editor = crowd([0, 8], [312, 0], [0, 160], [312, 160]);
    connect(editor, { source: "relu1", sourcePort: "output", target: "relu2", targetPort: "input" });
    applyFix(editor, fix("input"));
    expect(editor.state.drawing.layout.conv1).toEqual([616, 0]);
    expect([...editor.state.selectedNodes]).toEqual(["conv1"]);
  });

  test("has a row of its own below the branch that it goes round, and what is below makes way", () => {
    const editor = crowd([0, 8], [312, 0], [0, 160], [0, 320]);
    const before = editor.state.drawing.layout;
    addAt(editor, "add", [312, 160]);
    const wire = (source: string, target: string, targetPort = "input") =>
      connect(editor, { source, sourcePort: "output", target, targetPort });
    wire("image", "relu1");
    wire("relu1", "relu2");
    wire("relu2", "join");
    wire("relu1", "join", "other");
    applyFix(editor, {
      title: "Project",
      edits: [
        {
          op: "insert",
          id: "conv1",
          block: "Conv2d",
          settings: { out_channels: 16, kernel_size: 1 },
          target: "join",
          port: "other",
        },
      ],
    });
    const { conv1, relu2, relu3 } = editor.state.drawing.layout as Record<string, [number, number]>;
    expect(conv1?.[0]).toBe(relu2?.[0]);
    expect(conv1?.[1]).toBeGreaterThan(relu2?.[1] ?? 0);
    expect(relu3?.[1]).toBeGreaterThan(conv1?.[1] ?? 0);
    expect(relu2).toEqual(before.relu2);
    expect(covered(editor)).toEqual([]);
  });
});

/** Four blocks in a chain, grouped; then others stand close around the block that is left of them. */
function packed(direction: "right" | "down", ...around: [number, number][]): Editor {
  const editor = crowd([0, 0], [400, 0], [800, 0], [1200, 0], [1600, 0]);
  const wire = (source: string, target: string) =>
    connect(editor, { source, sourcePort: "output", target, targetPort: "input" });
  wire("image", "relu1");
  for (const n of [1, 2, 3]) wire(`relu${n}`, `relu${n + 1}`);
  editor.set({ direction });
  editor.select(["relu1", "relu2", "relu3", "relu4"]);
  groupSelected(editor, "Part");
  openNode(editor, "part1");
  layOut(editor, direction);
  closeComposite(editor);
  editor.set({ direction });
  move(editor, { image: [-800, 8], part1: [0, 0] });
  around.forEach((at) => addAt(editor, "ReLU", at));
  return editor;
}

describe("what was unpacked covers no neighbour", () => {
  test.each(["right", "down"] as const)("of those all around it (%s)", (direction) => {
    const editor = packed(
      direction,
      [0, 96],
      [0, -96],
      [224, 0],
      [224, 96],
      [224, -96],
      [-224, 0],
      [-224, 96],
      [-224, -96],
    );
    expect(covered(editor)).toEqual([]);
    ungroupNode(editor, "part1");
    expect(Object.keys(editor.state.drawing.graph.nodes)).toHaveLength(13);
    expect(covered(editor)).toEqual([]);
  });

  test("wherever they stand", () => {
    let seed = 7;
    const random = (most: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
    for (let turn = 0; turn < 40; turn++) {
      const editor = packed(turn % 2 ? "right" : "down");
      for (let i = 0; i < 14; i++) {
        const at: [number, number] = [8 * (random(200) - 100), 8 * (random(120) - 60)];
        addAt(editor, "ReLU", at);
        if (covered(editor).length) editor.undo();
      }
      ungroupNode(editor, "part1");
      expect(covered(editor), `turn ${turn}`).toEqual([]);
    }
  });

  test("what was not in the way stays where it was", () => {
    const editor = packed("right", [-224, 96], [232, 0], [0, 800]);
    const before = editor.state.drawing.layout;
    const [left, next, far] = Object.keys(before).filter((id) => !["image", "part1"].includes(id)) as [
      string,
      string,
      string,
    ];
    ungroupNode(editor, "part1");
    const { layout } = editor.state.drawing;
    expect([layout.image, layout[left], layout[far]]).toEqual([before.image, before[left], before[far]]);
    expect(layout[next]?.[0]).toBeGreaterThan(800);
  });

  test("a tidy drawing is tidied up again", () => {
    const editor = packed("right");
    layOut(editor, "right");
    ungroupNode(editor, "part1");
    const { layout } = editor.state.drawing;
    expect(layout.relu1?.[0]).toBeGreaterThan(layout.image?.[0] ?? 0);
    layOut(editor, "right");
    expect(editor.state.drawing.layout).toEqual(layout);
  });
});
