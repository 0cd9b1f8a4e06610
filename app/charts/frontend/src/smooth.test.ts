import { describe, expect, it } from "vitest";
import { extremes, smooth } from "./smooth";

describe("smoothed curves", () => {
  it("begin at the first value, not near zero", () => {
    expect(smooth([4, 4, 4], 0.9)).toEqual([4, 4, 4].map((v) => expect.closeTo(v, 12)));
  });
  it("follow slowly", () => {
    expect(smooth([0, 1], 0.5)).toEqual([0, expect.closeTo(2 / 3, 12)]);
  });
  it("leave gaps where there was no number", () => {
    expect(smooth([1, null, 1], 0.5)).toEqual([1, null, 1]);
  });
});

describe("thinned curves", () => {
  it("keep first, last and every spike", () => {
    const values = Array.from({ length: 10000 }, (_, i) => (i === 7777 ? 99 : Math.sin(i)));
    const chosen = extremes(values, 200);
    expect(chosen.length).toBeLessThanOrEqual(204);
    expect(chosen).toContain(7777);
    expect(chosen[0]).toBe(0);
    expect(chosen.at(-1)).toBe(9999);
  });
  it("are whole where there is little", () => {
    expect(extremes([3, 1, 2], 200)).toEqual([0, 1, 2]);
  });
});
