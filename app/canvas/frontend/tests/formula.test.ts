import { describe, expect, test } from "vitest";
import { sizeFormulas, parameterFormula, windowFormula } from "../src/model/formula";
import { share, type Sizes } from "../src/model/slidingWindows";
import type { Settings } from "../src/protocol";
import { blocks, tensor } from "./shared";

const conv = blocks.Conv2d!;
const pool = { ...conv, settings: [] };
const tex = (block: string, given: Settings, takes: Sizes["takes"], gives: Sizes["gives"]) =>
  sizeFormulas(block, block.startsWith("Conv") ? conv : pool, given, { takes, gives });

describe("the size formula with one's own numbers", () => {
  test("a convolution whose height and width go alike is one line", () => {
    expect(
      tex(
        "Conv2d",
        { out_channels: 6, kernel_size: 5, padding: 2 },
        tensor(["N", 1, 28, 28]),
        tensor(["N", 6, 28, 28]),
      ),
    ).toEqual(["H' = W' = \\left\\lfloor \\frac{28 + 2 \\cdot 2 - 5}{1} \\right\\rfloor + 1 = 28"]);
  });

  test("height and width that differ are a line each", () => {
    expect(
      tex("Conv2d", { kernel_size: [3, 5], stride: [1, 2] }, tensor(["N", 1, 28, 30]), tensor(["N", 6, 26, 13])),
    ).toEqual([
      "H' = \\left\\lfloor \\frac{28 + 2 \\cdot 0 - 3}{1} \\right\\rfloor + 1 = 26",
      "W' = \\left\\lfloor \\frac{30 + 2 \\cdot 0 - 5}{2} \\right\\rfloor + 1 = 13",
    ]);
  });

  test("dilation spreads the kernel", () => {
    expect(tex("Conv1d", { kernel_size: 3, dilation: 4 }, tensor(["N", 2, 20]), tensor(["N", 2, 12]))).toEqual([
      "L' = \\left\\lfloor \\frac{20 + 2 \\cdot 0 - 4 \\cdot (3 - 1) - 1}{1} \\right\\rfloor + 1 = 12",
    ]);
  });

  test("a pool steps as far as it is wide, and may round up", () => {
    expect(
      tex("MaxPool2d", { kernel_size: 2, ceil_mode: true }, tensor(["N", 6, 27, 27]), tensor(["N", 6, 14, 14])),
    ).toEqual(["H' = W' = \\left\\lceil \\frac{27 + 2 \\cdot 0 - 2}{2} \\right\\rceil + 1 = 14"]);
  });

  test("a transposed convolution grows", () => {
    expect(
      tex(
        "ConvTranspose2d",
        { kernel_size: 4, stride: 2, padding: 1 },
        tensor(["N", 8, 7, 7]),
        tensor(["N", 4, 14, 14]),
      ),
    ).toEqual(["H' = W' = (7 - 1) \\cdot 2 - 2 \\cdot 1 + 1 \\cdot (4 - 1) + 0 + 1 = 14"]);
  });

  test("padding same adds what torch adds on either side", () => {
    const four = { kernel_size: 4, padding: "same" };
    expect(tex("Conv2d", four, tensor(["N", 3, 8, 8]), tensor(["N", 4, 8, 8]))).toEqual([
      "H' = W' = 8 + (1 + 2) - 1 \\cdot (4 - 1) = 8",
    ]);
  });

  test("an adaptive pooling says where its windows lie", () => {
    const sizes = { takes: tensor(["N", 6, 28, 28]), gives: tensor(["N", 6, 7, 7]) };
    expect(windowFormula("AdaptiveAvgPool2d", pool, { output_size: 7 }, sizes)).toBe(
      "i \\mapsto \\left\\lfloor \\frac{28\\,i}{7} \\right\\rfloor \\ldots \\left\\lceil \\frac{28\\,(i + 1)}{7} \\right\\rceil - 1",
    );
    expect([0, 1, 2].map((i) => share(i, { into: 5, out: 3 }))).toEqual([
      [0, 2],
      [1, 4],
      [3, 5],
    ]);
  });

  test("parameters are the product that the settings make, with torch's number behind it", () => {
    const note = { params: 156, inferred: { in_channels: 1 } };
    expect(parameterFormula("Conv2d", conv, { out_channels: 6, kernel_size: 5 }, note, tensor(["N", 1, 28, 28]))).toBe(
      "6 \\cdot 1 \\cdot 5 \\cdot 5 + 6 = 156\\ \\text{parameters}",
    );
  });
  test("the result is torch's, whatever the settings say", () => {
    expect(tex("Conv2d", { kernel_size: 3 }, tensor(["N", 1, 8, 8]), tensor(["N", 6, 99, 99]))[0]).toMatch(/= 99$/);
  });

  test("nothing is filled in without both shapes, or for another kind of block", () => {
    expect(tex("Conv2d", { kernel_size: 3 }, undefined, tensor(["N", 6, 8, 8]))).toEqual([]);
    expect(tex("Linear", {}, tensor(["N", 8]), tensor(["N", 4]))).toEqual([]);
  });
});
