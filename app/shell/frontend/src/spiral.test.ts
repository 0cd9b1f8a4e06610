import { describe, expect, it } from "vitest";
import recorded from "../../../static/start/spiral.json";
import { between, probability, type Recording, right } from "./spiral";

const recording = recorded as unknown as Recording;

describe("the network of the start page", () => {
  it("begins as good as guessing and ends by telling all points apart", () => {
    const first = right(between(recording, 0).weights, recording);
    const last = right(between(recording, 1).weights, recording);
    expect(first / recording.points.length).toBeLessThan(0.65);
    expect(last / recording.points.length).toBeGreaterThan(0.98);
  });

  it("plays the epochs in their order, between two in proportion", () => {
    const small: Recording = { epochs: [0, 10], frames: [[[0, 2]], [[4, 2]]], points: [], classes: [] };
    expect(between(small, 0.25)).toEqual({ weights: [[1, 2]], epoch: 3 });
    expect(between(small, 7).epoch).toBe(10);
  });

  it("calculates tanh layers and a softmax", () => {
    const weights = [[1, 0], [0], [2], [0.5], [0, 1], [0, 0]];
    const logit = Math.tanh(2 * Math.tanh(0.3) + 0.5);
    expect(probability(weights, 0.3, 9)).toBeCloseTo(1 / (1 + Math.exp(-logit)), 12);
  });
});
