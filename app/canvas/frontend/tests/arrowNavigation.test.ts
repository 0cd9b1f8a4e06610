import { describe, expect, test } from "vitest";
import type { Placed as Drawing } from "../src/model/drawing";
import { nextBlock } from "../src/model/arrowNavigation";

const wire = (source: string, target: string, targetPort = "input") => ({
  source,
  sourcePort: "output",
  target,
  targetPort,
});

/** image, then two branches side by side, then join; a loose block far to the right. */
const drawing: Drawing = {
  graph: {
    nodes: { image: {}, left: {}, right: {}, join: {}, loose: {} },
    edges: [wire("image", "left"), wire("image", "right"), wire("left", "join"), wire("right", "join", "other")],
  },
  layout: { image: [100, 0], left: [0, 120], right: [240, 120], join: [110, 240], loose: [700, 120] },
};

describe("walking downwards", () => {
  test("forwards goes along the wire to the nearest block", () => {
    expect(nextBlock(drawing, "image", "ArrowDown", "down")).toBe("left");
    expect(nextBlock(drawing, "left", "ArrowDown", "down")).toBe("join");
  });

  test("backwards goes to where the block reads from", () => {
    expect(nextBlock(drawing, "join", "ArrowUp", "down")).toBe("left");
    expect(nextBlock(drawing, "right", "ArrowUp", "down")).toBe("image");
  });

  test("aside goes to the other branch, then to what stands there without a wire", () => {
    expect(nextBlock(drawing, "left", "ArrowRight", "down")).toBe("right");
    expect(nextBlock(drawing, "right", "ArrowRight", "down")).toBe("loose");
    expect(nextBlock(drawing, "loose", "ArrowLeft", "down")).toBe("right");
  });

  test("stops at the end", () => {
    expect(nextBlock(drawing, "image", "ArrowUp", "down")).toBe("");
    expect(nextBlock(drawing, "join", "ArrowDown", "down")).toBe("");
  });
});

test("where data flows to the right, right is forwards, also to the next row", () => {
  const rows: Drawing = {
    graph: { nodes: { a: {}, b: {} }, edges: [wire("a", "b")] },
    layout: { a: [900, 0], b: [0, 200] },
  };
  expect(nextBlock(rows, "a", "ArrowRight", "right")).toBe("b");
  expect(nextBlock(rows, "b", "ArrowLeft", "right")).toBe("a");
});
