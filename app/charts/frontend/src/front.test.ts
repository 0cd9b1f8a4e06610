import { describe, expect, it } from "vitest";
import { axisTitle, equals, frontPoints, frontSteps, objectivesOf, objectiveText, objectiveTitle } from "./objectives";
import type { SweepObjective, SweepView, Trial } from "./protocol";
import { scaleOf } from "./scale";
import { labelMetrics } from "./words";

const ACCURACY: SweepObjective = {
  name: "val_accuracy",
  words: "validation accuracy",
  direction: "maximize",
  unit: "",
  kind: "metric",
};
const PARAMS: SweepObjective = { name: "params", words: "parameters", direction: "minimize", unit: "", kind: "cost" };
const LATENCY: SweepObjective = {
  name: "latency",
  words: "latency of one sample",
  direction: "minimize",
  unit: "ms",
  kind: "cost",
};
const trial = (number: number, accuracy: number | null, params: number, more: Partial<Trial> = {}): Trial => ({
  trial: number,
  state: "finished",
  value: accuracy,
  values: { val_accuracy: accuracy, params },
  run: null,
  settings: {},
  epoch: 2,
  as: null,
  reason: "",
  live: false,
  curve: { x: [], y: [] },
  ...more,
});
const view = (trials: Trial[], front: number[]): SweepView => ({
  name: "s",
  state: "finished",
  metric: "val_accuracy",
  maximise: true,
  total: trials.length,
  trials,
  front,
  objectives: [ACCURACY, PARAMS],
});

describe("the front of a sweep", () => {
  it("has a point per finished trial, those of the front on top and from left to right, and no repeated or unfinished one", () => {
    const trials = [
      trial(1, 0.9, 500),
      trial(2, 0.8, 100),
      trial(3, 0.7, 300),
      trial(4, null, 50),
      trial(5, 0.9, 500, { as: 1 }),
    ];
    expect(frontPoints(view(trials, [1, 2]), PARAMS, ACCURACY)).toEqual([
      { trial: 3, x: 300, y: 0.7, front: false },
      { trial: 2, x: 100, y: 0.8, front: true },
      { trial: 1, x: 500, y: 0.9, front: true },
    ]);
  });

  it("has the best of equal trials on top, and names the others", () => {
    const points = frontPoints(
      view([trial(4, 0.9, 424), trial(2, 0.9, 424), trial(7, 0.9, 424), trial(1, 0.8, 100)], [4, 2, 7, 1]),
      PARAMS,
      ACCURACY,
    );
    expect(points.map((point) => point.trial)).toEqual([1, 7, 2, 4]);
    expect(points.map((point) => equals(points, point))).toEqual([[], [2, 4], [4, 7], [2, 7]]);
  });

  it("is joined by steps that turn at the worse of two values", () => {
    const points = frontPoints(
      view([trial(1, 0.9, 500), trial(2, 0.8, 100), trial(3, 0.7, 300), trial(4, 0.95, 900)], [1, 2, 4]),
      PARAMS,
      ACCURACY,
    );
    const corners = [
      { x: 100, y: 0.8 },
      { x: 500, y: 0.8 },
      { x: 500, y: 0.9 },
      { x: 900, y: 0.9 },
      { x: 900, y: 0.95 },
    ];
    expect(frontSteps(points, PARAMS, ACCURACY)).toEqual(corners);
    expect(frontSteps(points.slice(0, 1), PARAMS, ACCURACY)).toEqual([]);
  });

  it("turns at the lower value where more is better by both, whichever axis it is on", () => {
    const points = [
      { trial: 1, x: 1, y: 5, front: true },
      { trial: 2, x: 4, y: 2, front: true },
    ];
    expect(frontSteps(points, ACCURACY, ACCURACY)).toEqual([
      { x: 1, y: 5 },
      { x: 1, y: 2 },
      { x: 4, y: 2 },
    ]);
    expect(frontSteps(points, PARAMS, LATENCY)).toEqual([
      { x: 1, y: 5 },
      { x: 4, y: 5 },
      { x: 4, y: 2 },
    ]);
  });

  it("has an arrow to the better end of an axis", () => {
    labelMetrics({ accuracy: { words: "accuracy", percent: true, logarithmic: false } });
    expect([ACCURACY, PARAMS].map(axisTitle)).toEqual(["Accuracy (more is better) →", "← Parameters (less is better)"]);
  });

  it("names objectives and writes their values", () => {
    labelMetrics({ accuracy: { words: "accuracy", percent: true, logarithmic: false } });
    expect([ACCURACY, PARAMS, LATENCY].map(objectiveTitle)).toEqual([
      "Accuracy",
      "Parameters",
      "Latency of one sample (ms)",
    ]);
    expect([
      objectiveText(ACCURACY, 0.972),
      objectiveText(PARAMS, 1591),
      objectiveText(LATENCY, 0.1234),
      objectiveText(PARAMS, null),
    ]).toEqual(["97.2%", "1,591", "0.123 ms", ""]);
  });

  it("has the metric alone where the results are older than objectives", () => {
    const older = { ...view([], []), objectives: undefined };
    expect(objectivesOf(older)).toEqual([{ ...ACCURACY, words: "" }]);
  });
});

describe("an axis of numbers", () => {
  it("has round numbers between its ends", () => {
    const scale = scaleOf([0.7, 0.95]);
    expect(scale.ticks).toEqual([0.7, 0.75, 0.8, 0.85, 0.9, 0.95]);
    expect([scale.at(0.7), scale.at(0.95)]).toEqual([0, 1]);
  });

  it("is logarithmic where values differ twentyfold", () => {
    const scale = scaleOf([100, 10000]);
    expect(scale.at(1000)).toBeCloseTo(0.5);
    expect(scale.ticks).toEqual([100, 200, 500, 1000, 2000, 5000, 10000]);
  });

  it("has a few powers of ten over many of them", () => {
    expect(scaleOf([0.1, 1e33]).ticks).toEqual([0.1, 1e5, 1e11, 1e17, 1e23, 1e29]);
    expect(scaleOf([0.0003, 2]).ticks).toEqual([0.001, 0.01, 0.1, 1]);
  });

  it("puts one value in the middle", () => {
    expect([scaleOf([3, 3]).at(3), scaleOf([3, 3]).ticks]).toEqual([0.5, [3]]);
  });
});
