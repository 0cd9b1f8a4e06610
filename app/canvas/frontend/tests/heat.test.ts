import { describe, expect, test } from "vitest";
import { middle, scaleOf, told, warmth, written } from "../src/model/heat";

const notes = { conv1: { params: 156, bytes: 18816 }, fc1: { params: 48120, bytes: 480 }, pool1: { bytes: 4704 } };

describe("the heat map", () => {
  test("goes from the cheapest block that costs anything to the dearest", () => {
    expect(scaleOf(["conv1", "fc1", "pool1"], notes, "params")).toEqual({ low: 156, high: 48120, total: 48276 });
  });

  test("counts only the blocks on the canvas, not those inside composites", () => {
    expect(scaleOf(["conv1"], { ...notes, "conv1.inner": { params: 9 } }, "params")?.low).toBe(156);
  });

  test("is a log scale: ten times the cost is the same step everywhere", () => {
    const scale = { low: 10, high: 1000, total: 1110 };
    expect([10, 100, 1000].map((v) => warmth(v, scale))).toEqual([0, 0.5, 1]);
    expect(middle(scale)).toBe(100);
  });

  test("leaves what costs nothing uncoloured", () => {
    expect(warmth(0, { low: 1, high: 2, total: 3 })).toBeNull();
    expect(scaleOf(["pool1"], notes, "params")).toBeNull();
  });

  test("gives a single cost the strongest colour", () => {
    expect(warmth(7, { low: 7, high: 7, total: 7 })).toBe(1);
  });

  test("writes numbers with their unit, and the share", () => {
    expect(written(18816, "bytes")).toBe("18.8\u202fkB");
    expect(told(156, "params", { low: 156, high: 48120, total: 48276 })).toBe("156 parameters, under 1\u202f% of all");
  });
});
