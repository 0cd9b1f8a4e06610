import { expect, test } from "vitest";
import { edges, HUES, planePixels, readAt, spokenPlane } from "../src/model/plane";
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

test("a unit has a colour above zero and another below, and a line where it goes through zero", () => {
  const found = [...planePixels(unit(254, 0, 127, 127), 0, LIGHT)];
  expect(found.slice(0, 3)).toEqual([...LIGHT.plus]);
  expect(found.slice(4, 7)).toEqual([...LIGHT.minus]);
  expect(found[11]).toBe(0);
  expect(edges(unit(254, 0, 127, 127), 0)).toEqual([
    [1, 0, 1, 1],
    [0, 1, 1, 1],
  ]);
});

test("a unit that is nowhere below zero has its line where it leaves zero", () => {
  expect(edges({ ...unit(0, 254, 0, 254), low: 0 }, 0)).toEqual([
    [1, 0, 1, 1],
    [1, 1, 1, 2],
  ]);
});

test("the answer has the colour of its class, stronger where it is sure", () => {
  const found = [...planePixels(answer, 0, LIGHT)];
  expect(found.slice(0, 3)).toEqual([...(HUES[0] ?? [])]);
  expect(found.slice(4, 7)).toEqual([...(HUES[1] ?? [])]);
  expect(found[3]).toBeGreaterThan(found[7] as number);
  expect(edges(answer, 0)).toEqual([[1, 0, 1, 1]]);
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
