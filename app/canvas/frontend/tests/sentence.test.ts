import { expect, it } from "vitest";
import { firstSentence } from "../src/model/sentence";

it("a text begins with its first sentence, whatever points stand in that", () => {
  const lenet = "LeNet-5 (LeCun et al., 1998) reads 8.5 digits. Two convolutions find strokes. Press Train.";
  expect(firstSentence(lenet)).toEqual([
    "LeNet-5 (LeCun et al., 1998) reads 8.5 digits.",
    "Two convolutions find strokes. Press Train.",
  ]);
  expect(firstSentence("Does it learn? Öffne es.")).toEqual(["Does it learn?", "Öffne es."]);
  expect(firstSentence("One sentence without an end")).toEqual(["One sentence without an end", ""]);
});
