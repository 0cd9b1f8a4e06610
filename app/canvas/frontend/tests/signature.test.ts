import { expect, test } from "vitest";
import { described, label, labels, sampleSizes } from "../src/model/signature";
import { tensor } from "./shared";

const whole = (value: string) => ({ shape: [], dtype: "size", value });

test.each([
  [tensor(["N", 6, 28, 28]), "(N, 6, 28, 28)", "(N, 6, 28, 28) float32"],
  [tensor(["N"], "int64"), "(N,) int64", "(N,) int64"],
  [tensor([]), "()", "() float32"],
  [tensor(["?", 4], "bfloat16"), "(?, 4) bfloat16", "(?, 4) bfloat16"],
  [whole("28"), "=28", "the integer 28"],
  [whole("?"), "=?", "the integer ?"],
])("%j on a wire is written %s, in full %s", (signature, short, long) => {
  expect(label(signature)).toBe(short);
  expect(described(signature)).toBe(long);
});

test("all that leaves a block is written port by port", () => {
  expect(labels({ output: tensor(["N", 6, 28, 28]), size: whole("28") })).toBe("(N, 6, 28, 28), =28");
  expect(labels({})).toBe("");
});

test("what is not known yet is said to be so", () => expect(described(undefined)).toBe("not known yet"));

test("the sizes of one sample are told where all of them are numbers behind the batch", () => {
  expect(sampleSizes(tensor(["N", 6, 28, 28]))).toEqual([6, 28, 28]);
  expect(sampleSizes(tensor(["N", "?", 28]))).toEqual([]);
  expect(sampleSizes(tensor([6, 28]))).toEqual([]);
  expect(sampleSizes(whole("28"))).toEqual([]);
  expect(sampleSizes(undefined)).toEqual([]);
});
