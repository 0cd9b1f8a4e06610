import { describe, expect, it } from "vitest";
import { places } from "./axes";
import { runColour, runDash } from "./colours";
import { Rows } from "./rows";

describe("parallel axes", () => {
  it("spread numbers evenly, and by their logarithm where they span decades", () => {
    expect(places({ values: [32, 64, 48] })).toEqual([0, 1, 0.5]);
    expect(places({ values: [0.001, 0.1, 0.01] })).toEqual([0, 1, expect.closeTo(0.5, 12)]);
  });
  it("are logarithmic for what is thought of in powers of ten, however near the numbers lie", () => {
    expect(places({ values: [0.001, 0.01, 0.002], powers: true })).toEqual([0, 1, expect.closeTo(0.30103, 5)]);
    expect(places({ values: [0, 0.01, 0.005], powers: true })).toEqual([0, 1, 0.5]);
  });
  it("give each word a place and leave out what a run does not have", () => {
    expect(places({ values: ["SGD", "Adam", null] })).toEqual([1, 0, null]);
    expect(places({ values: [0.5, null] })).toEqual([0.5, null]);
  });
});

describe("rows", () => {
  it("keep columns in step when one comes late or stays away", () => {
    const rows = new Rows();
    rows.add([{ attempt: 1, kind: "epoch", epoch: [1, 2], val_loss: [0.5, null] }]);
    rows.add([{ attempt: 1, kind: "epoch", epoch: [3], val_accuracy: [0.9] }]);
    expect(rows.column("epoch", "epoch")).toEqual([1, 2, 3]);
    expect(rows.column("epoch", "val_loss")).toEqual([0.5, null, null]);
    expect(rows.column("epoch", "val_accuracy")).toEqual([null, null, 0.9]);
  });
});

it("sixteen runs each look different", () => {
  const looks = Array.from({ length: 16 }, (_, i) => `${runColour(i)} ${runDash(i)}`);
  expect(new Set(looks).size).toBe(16);
});
