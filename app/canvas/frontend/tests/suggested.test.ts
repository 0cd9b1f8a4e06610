import { expect, test } from "vitest";
import { givenBy, suggested } from "../src/model/suggested";
import type { NodeJson, Suggestion } from "../src/protocol";

const SUGGESTIONS: Suggestion[] = [
  { rank: [4], dtype: "float", blocks: ["Conv2d", "Linear"] },
  { rank: [2], dtype: "int", blocks: ["Embedding"] },
  { rank: [], dtype: "any", blocks: ["Linear"] },
];
const drawn = (...blocks: string[]): Record<string, NodeJson> =>
  Object.fromEntries(blocks.map((block) => [block, { block }]));

test.each([
  [{ shape: [1, 28, 28] }, ["Conv2d", "Linear"]],
  [{ shape: [40], dtype: "int64" }, ["Embedding"]],
  [{ shape: [40] }, ["Linear"]],
  [{}, ["Linear"]],
])("for an Input with %j: %j", (settings, blocks) => {
  expect(suggested(SUGGESTIONS, drawn("Input", "Output"), givenBy(settings))).toEqual(blocks);
});

test("the ends are suggested where a drawing lacks them, an Output once something is drawn", () => {
  expect(suggested(SUGGESTIONS, {}, undefined)).toEqual(["Input", "Linear"]);
  expect(suggested(SUGGESTIONS, drawn("Input"), undefined)).toEqual(["Linear", "Output"]);
  expect(suggested(SUGGESTIONS, drawn("Linear", "Output"), undefined)).toEqual(["Input", "Linear"]);
});
