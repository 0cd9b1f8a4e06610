import { describe, expect, it } from "vitest";
import { distances, hasExploded, positive } from "./plot";
import { extremes, means, smooth } from "./smooth";

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
  it("know the mean of what each of their points stands for", () => {
    const values = [1, 1, 1, 9, null, 2, 4, 3];
    expect(means(values, [0, 3, 5, 6], 4)).toEqual([3, 3, 3, 3]);
    expect(means([1, 2, 3, 4], [0, 1, 2, 3], 4)).toEqual([1.5, 1.5, 3.5, 3.5]);
  });
  it("are whole where there is little", () => {
    expect(extremes([3, 1, 2], 200)).toEqual([0, 1, 2]);
  });
});

describe("a logarithmic axis", () => {
  it("leaves out 0 and less, which it has no place for, and keeps gaps as they are", () => {
    const column = [2, 0, -1, null, undefined, 0.5] as (number | null | undefined)[];
    expect(positive([[1, 2, 3, 4, 5, 6], column])).toEqual([
      [1, 2, 3, 4, 5, 6],
      [2, null, null, null, undefined, 0.5],
    ]);
  });
});

describe("distances of ticks", () => {
  it("are multiples of powers of ten, as large as numbers get", () => {
    expect(distances(-1, 1, [1, 2.5])).toEqual([0.1, 0.25, 1, 2.5, 10, 25]);
    expect(distances(307, 307, [5])).toEqual([5e307]);
  });
});

describe("a logarithmic axis of its own accord", () => {
  it("is for huge values beside small ones", () => {
    expect(
      hasExploded([
        [0, 1],
        [0.1, 0.2],
        [null, 6e30],
      ]),
    ).toBe(true);
    expect(
      hasExploded([
        [0, 1],
        [0.1, 2.3],
      ]),
    ).toBe(false);
    expect(
      hasExploded([
        [0, 1],
        [-0.1, 6e30],
      ]),
    ).toBe(false);
    expect(
      hasExploded([
        [0, 1],
        [1e-6, 2.3],
      ]),
    ).toBe(false);
    expect(hasExploded([[0], [undefined]])).toBe(false);
  });
});
