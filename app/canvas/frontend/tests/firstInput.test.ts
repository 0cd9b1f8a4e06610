/** The first Input of a network takes the name and the shape of the chosen data. */

import { describe, expect, test } from "vitest";
import { addAt, addTyped, removeSelected, selectAll } from "../src/store/editCommands";
import { bench } from "./shared";

const IRIS = { name: "features", settings: { shape: [4] }, about: "iris: 4 columns" };

function empty(input: typeof IRIS | null) {
  const b = bench();
  selectAll(b.editor);
  removeSelected(b.editor);
  b.sync.receive(b.python.down({ input }));
  return b;
}

describe("an Input", () => {
  test("of a network without one is that of the data", () => {
    const b = empty(IRIS);
    addAt(b.editor, "Input", [0, 0]);
    addAt(b.editor, "Input", [0, 200]);
    expect(b.editor.state.drawing.graph.nodes).toEqual({
      features: { block: "Input", settings: { shape: [4] } },
      image: { block: "Input", settings: { shape: [1, 28, 28] } },
    });
  });

  test("comes by itself in front of the first block that is typed", () => {
    const b = empty(IRIS);
    addTyped(b.editor, "Linear", [0, 0]);
    expect(b.editor.state.drawing.graph.nodes.features?.settings).toEqual({ shape: [4] });
  });

  test("is the usual one where no data is chosen", () => {
    const b = empty(null);
    expect(addAt(b.editor, "Input", [0, 0])).toBe("image");
  });
});
