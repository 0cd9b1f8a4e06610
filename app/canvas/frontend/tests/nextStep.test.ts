/** A drawing that was only begun has a next step, and nothing wrong with it. */

import { expect, test } from "vitest";
import { nextStep } from "../src/model/nextStep";

const found = (...codes: string[]) => codes.map((code) => ({ code }));

test.each([
  [["no_output"], ["unused_input"], ["image"], "next: add a layer"],
  [["no_output"], ["unused_result"], ["image", "conv1", "relu1"], "next: add an Output"],
  [["no_input", "no_output"], ["unused_result"], ["conv1"], "next: add a layer"],
  [["no_output", "shape"], [], ["image", "conv1", "fc1"], ""],
  [["no_output"], ["duplicate_softmax"], ["image", "conv1", "fc1"], ""],
  [[], ["unused_result"], ["image", "conv1", "fc1", "out"], ""],
  [[], [], ["image", "out"], ""],
])("errors %j and warnings %j of %j: %j", (errors, warnings, ids, words) => {
  const nodes = Object.fromEntries(ids.map((id) => [id, {}]));
  expect(nextStep({ errors: found(...errors), warnings: found(...warnings) }, nodes)).toBe(words);
});
