/** From afar React Flow holds few blocks: which, and which block is under a pointer. */

import { expect, test } from "vitest";
import type { BlockFlow, NoteFlow } from "../src/flow/elements";
import { blockAt, taken } from "../src/flow/overview";

const block = (id: string, x: number, selected = false): BlockFlow => ({
  id,
  type: "block",
  position: { x, y: 0 },
  data: { direction: "right" },
  width: 150,
  height: 60,
  selected,
});
const BLOCKS = [block("conv1", 0), block("relu1", 200), block("fc1", 400, true), block("over", 420)];
const NOTE: NoteFlow = { id: "note:1", type: "note", position: { x: 0, y: 90 }, data: {}, parentId: "conv1" };
const ids = (blocks: BlockFlow[]) => blocks.map(({ id }) => id);

test("nobody touches the drawing: only what is selected is drawn by itself", () => {
  expect(ids(taken(BLOCKS, [], {}, ""))).toEqual(["fc1"]);
});

test("so are the block under the pointer, what is dragged, and the block of a note", () => {
  expect(ids(taken(BLOCKS, [], {}, "relu1"))).toEqual(["relu1", "fc1"]);
  expect(ids(taken(BLOCKS, [], { over: { x: 1, y: 2 } }, ""))).toEqual(["fc1", "over"]);
  expect(ids(taken(BLOCKS, [NOTE], {}, ""))).toEqual(["conv1", "fc1"]);
});

test("a place is that of the topmost block there, or of none", () => {
  expect([
    blockAt(BLOCKS, { x: 10, y: 10 }),
    blockAt(BLOCKS, { x: 430, y: 30 }),
    blockAt(BLOCKS, { x: 180, y: 30 }),
  ]).toEqual(["conv1", "over", ""]);
  expect(blockAt(BLOCKS, { x: 10, y: 61 })).toBe("");
});
