import { expect, test } from "vitest";
import { edges, HUES, planePixels, readAt, spokenPlane, tilesOf } from "../src/model/plane";
import { LIGHT, type Picture, type Plane } from "../src/model/sample";

const text = (...bytes: number[]) => btoa(String.fromCharCode(...bytes));
const unit = (...bytes: number[]): Picture => ({
  kind: "units",
  shape: [1, 2, 2],
  of: 3,
  low: -1,
  high: 1,
  ends: { low: -1, high: 0.5 },
  data: text(...bytes),
});
const answer: Picture = {
  kind: "classes",
  shape: [1, 1, 2],
  names: ["upper", "lower"],
  data: text(0, 1),
  shares: text(254, 51, 0, 203),
};

const lines = (picture: Picture) => edges(picture, 0).map((line) => line.map((v) => Number(v.toFixed(2))));

test("a unit has a colour above zero and another below, and a line where it goes through zero", () => {
  const found = [...planePixels(unit(254, 0, 127, 127), 0, LIGHT)];
  expect(found.slice(0, 3)).toEqual([...LIGHT.plus]);
  expect(found.slice(4, 7)).toEqual([...LIGHT.minus]);
  expect(found[11]).toBe(0);
  // between the middles of four cells, and on to the border: right beside the middle where the left half is above 0
  expect(lines(unit(254, 0, 254, 0))).toEqual([
    [1, 0, 1, 0.5],
    [1, 0.5, 1, 1.5],
    [1, 1.5, 1, 2],
  ]);
});

test("a unit that is nowhere below zero has its line where it leaves zero", () => {
  expect(lines({ ...unit(0, 254, 0, 254), low: 0 })).toEqual([
    [0.5, 0, 0.5, 0.5],
    [0.5, 0.5, 0.5, 1.5],
    [0.5, 1.5, 0.5, 2],
  ]);
});

test("the answer has the colour of its class, stronger where it is sure", () => {
  const found = [...planePixels(answer, 0, LIGHT)];
  expect(found.slice(0, 3)).toEqual([...(HUES[0] ?? [])]);
  expect(found.slice(4, 7)).toEqual([...(HUES[1] ?? [])]);
  expect(found[3]).toBeGreaterThan(found[7] as number);
  // as far ahead as "upper" is on the left, 254 - 0, "lower" is 203 - 51 on the right: 254 / 406 of the way
  expect(lines(answer)).toEqual([
    [1.13, 0, 1.13, 0.5],
    [1.13, 0.5, 1.13, 1],
  ]);
});

test("a place on the plane is told with its numbers and probabilities", () => {
  const plane: Plane = {
    columns: ["x1", "x2"],
    across: [-2, 2],
    up: [0, 1],
    region: answer,
    samples: { places: [], kinds: [], classes: [], validation: 0, of: 0 },
    accuracy: {},
    units: null,
  };
  expect(readAt(plane, 0.75, 0.5)).toBe("x1 1, x2 0.5: upper 20 %, lower 80 %");
  expect(spokenPlane(unit(0, 0, 0, 0), 2)).toBe("Unit 2 from -1 to 0.5 over the plane");
});

test("a finer picture has numbers in proportion between the points, and the same at them", () => {
  const coarse = planePixels(unit(254, 0, 254, 0), 0, LIGHT),
    fine = planePixels(unit(254, 0, 254, 0), 0, LIGHT, 3);
  const row = (pixels: Uint8ClampedArray, wide: number) => [...pixels].slice(0, 4 * wide).filter((_, i) => i % 4 === 3);
  expect(row(coarse, 2)).toEqual([209, 209]);
  expect(row(fine, 6)).toEqual([209, 209, 70, 70, 209, 209]);
  const points = [...planePixels(answer, 0, LIGHT, 2)].filter((_, i) => i % 4 === 0);
  expect(points.slice(0, 4)).toEqual([HUES[0]?.[0], HUES[0]?.[0], HUES[1]?.[0], HUES[1]?.[0]]);
});

test("of three classes each has its border, and what is no number has none", () => {
  const three: Picture = {
    kind: "classes",
    shape: [1, 1, 3],
    names: ["a", "b", "c"],
    data: text(0, 1, 2),
    shares: text(254, 0, 0, 0, 254, 0, 0, 0, 254),
  };
  expect(new Set(lines(three).map(([x]) => x))).toEqual(new Set([1, 2]));
  expect(lines(unit(255, 255, 0, 254)).every((line) => line.every((v) => !Number.isNaN(v)))).toBe(true);
});

test("one unit is as large as a card has room for, several share its width", () => {
  expect(tilesOf(1, 178, 58)).toEqual({ count: 1, side: 58 });
  expect(tilesOf(2, 178, 58)).toEqual({ count: 2, side: 58 });
  expect(tilesOf(16, 178, 58)).toEqual({ count: 3, side: 56 });
  expect(tilesOf(16, 178, 40)).toEqual({ count: 4, side: 40 });
});
