import { describe, expect, it } from "vitest";
import type { SweepView, Trial } from "./protocol";
import { axesOf, outcomeOf, ranks } from "./sweep";
import { outcome } from "./sweep_table";

const trial = (number: number, value: number | null, more: Partial<Trial> = {}): Trial => ({
  trial: number,
  state: "finished",
  value,
  run: null,
  settings: {},
  epoch: 2,
  as: null,
  reason: "",
  live: false,
  curve: { x: [], y: [] },
  ...more,
});

describe("a sweep", () => {
  it("ranks trials in the order they come, best first, and leaves out what has no value", () => {
    const trials = [trial(4, 0.9), trial(2, 0.9), trial(1, 0.5), trial(3, null)];
    expect(Object.fromEntries(ranks(trials))).toEqual({ 4: 1, 2: 0.5, 1: 0 });
    expect([...ranks([trial(7, 1)])]).toEqual([[7, 1]]);
  });

  it("has an axis per key, without what a trial does not have, and one for the result so far", () => {
    const running = trial(2, null, { live: true, settings: { lr: 0.1 }, curve: { x: [1, 2], y: [0.4, 0.6] } });
    const done = trial(1, 0.5, { settings: { lr: 0.01, optimizer: "SGD", hidden: [4, 4] } });
    const view: SweepView = {
      name: "s",
      state: "running",
      metric: "val_accuracy",
      maximise: true,
      total: 2,
      trials: [done, running],
    };
    const axes = axesOf(view, ["lr", "optimizer", "hidden"], { lr: "Learning rate" }, ["lr"]);
    expect(axes.map((axis) => axis.title)).toEqual(["Learning rate", "optimizer", "hidden", "Accuracy"]);
    expect(axes.map((axis) => axis.powers ?? false)).toEqual([true, false, false, false]);
    expect(axes.map((axis) => axis.values)).toEqual([
      [0.01, 0.1],
      ["SGD", null],
      ["[4,4]", null],
      [0.5, 0.6],
    ]);
  });

  it("says how a trial stands", () => {
    expect(outcome(trial(1, null, { live: true, epoch: 3, epochs: 10 }))).toBe("epoch 3 of 10");
    const compiling = { live: true, epoch: 0, epochs: 10, phase: "compiling the step, which takes a minute" };
    expect(outcome(trial(1, null, compiling))).toBe("compiling the step");
    expect(outcome(trial(1, null, { state: "pruned", epoch: 4 }))).toBe("pruned at epoch 4");
    expect(outcome(trial(1, 0.5, { as: 2 }))).toBe("same as trial 2");
    expect(outcome(trial(1, null, { state: "waiting" }))).toBe("waits");
    expect(outcome(trial(1, null, { state: "failed" }))).toBe("failed");
    expect(outcome(trial(1, null, { state: "failed", reason: "Traceback\nno memory" }))).toBe("failed: no memory");
    expect(outcome(trial(1, null, { state: "failed", reason: "x".repeat(61) }))).toBe(`failed: ${"x".repeat(59)}…`);
  });

  it("says how many finished, were pruned and failed as the command says it", () => {
    const states = ["finished", "pruned", "failed", "failed"].map((state, i) =>
      trial(i, null, { state: state as Trial["state"] }),
    );
    const view: SweepView = {
      name: "s",
      state: "finished",
      metric: "val_accuracy",
      maximise: true,
      total: 6,
      trials: states,
    };
    expect(outcomeOf(view, 2)).toBe("1 of 6 finished, 1 pruned, 2 failed");
    expect(outcomeOf({ ...view, trials: states.filter((each) => each.state !== "pruned") }, 2)).toBe(
      "1 of 6 finished, 2 failed",
    );
  });
});
