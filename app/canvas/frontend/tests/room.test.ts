import { describe, expect, test } from "vitest";
import { cardSize } from "../src/model/layout";
import type { Editor } from "../src/store/editor";
import { addAt, addNext, connect } from "../src/store/verbs";
import { bench } from "./shared";

/** Pairs of blocks of which one covers the other. */
function covered(editor: Editor): string[] {
  const { drawing: { graph, layout }, direction } = editor.state;
  const all = Object.keys(graph.nodes).map((id) => {
    const [x, y] = layout[id] as [number, number];
    return { id, x, y, ...cardSize(editor.ports(), id, direction) };
  });
  return all.flatMap((a, i) => all.slice(i + 1).filter((b) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height).map((b) => `${a.id} over ${b.id}`));
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
