import { describe, expect, it } from "vitest";
import type { MetricRecord, View } from "./protocol";
import { Series, split } from "./series";
import {
  agreed,
  beginning,
  duration,
  isLogarithmic,
  labelMetrics,
  place,
  progressLine,
  quantity,
  share,
  tick,
  title,
} from "./words";

const epoch = (extra: object): MetricRecord => ({ attempt: 1, kind: "epoch", ...extra });
const view = (extra: Partial<View>): View => ({
  name: "lenet-001",
  state: "running",
  attempt: 1,
  epoch: 2,
  epochs: 10,
  step: 40,
  steps: 200,
  elapsed_s: 8,
  left_s: 32,
  message: "",
  phase: "",
  warnings: [],
  aims: {},
  ...extra,
});

describe("series", () => {
  it("splits names into part and quantity", () => {
    expect(split("val_loss")).toEqual(["val", "loss"]);
    expect(split("train_accuracy")).toEqual(["train", "accuracy"]);
    expect(split("lr")).toEqual(["value", "lr"]);
  });

  it("places steps on the axis of epochs", () => {
    const series = new Series();
    series.add([{ attempt: 1, kind: "step", step: [10, 20, 30], epoch: [0, 1, 1], loss: [2, 1, null] }], 20);
    expect(series.quantities.get("loss")!.curves.get("step")).toEqual({ x: [0.5, 1, 1.5], y: [2, 1, null] });
    expect(series.last("loss", "step")).toBe(1);
  });

  it("reads the columns of several epochs from one line", () => {
    const series = new Series();
    series.add([epoch({ epoch: [1, 2], step: [5, 10], val_loss: [0.5, 0.25], val_accuracy: [0.8, 0.9] })], 5);
    expect(series.last("loss", "val")).toBe(0.25);
    expect(series.quantities.get("accuracy")!.curves.get("val")!.y).toEqual([0.8, 0.9]);
  });

  it("ignores a record it has seen", () => {
    const series = new Series();
    const record = epoch({ epoch: [1], val_loss: [0.5] });
    series.add([record, record], 5);
    expect(series.quantities.get("loss")!.curves.get("val")!.x).toEqual([1]);
  });

  it("is empty after a reset", () => {
    const series = new Series();
    series.add([epoch({ epoch: [1], val_loss: [0.5] })], 5);
    series.clear();
    expect(series.last("loss", "val")).toBeNull();
  });
});

const reads = (words: string, percent = false, logarithmic = false) => ({ words, percent, logarithmic });
labelMetrics({
  loss: reads("loss", false, true),
  accuracy: reads("accuracy", true),
  r2: reads("R²"),
  iou: reads("intersection over union", true),
  ler: reads("label error rate", true),
});

describe("words", () => {
  it("say what a run does before its first step", () => {
    expect(beginning(view({ state: "queued", phase: "decoding pictures: 1,200 of 5,600, 3 cannot be read" }))).toBe(
      "Preparing: decoding pictures: 1,200 of 5,600, 3 cannot be read.",
    );
    expect(beginning(view({ state: "queued", message: "Waits for a free processor." }))).toBe(
      "Waits for a free processor.",
    );
    expect(beginning(view({ state: "queued" }))).toMatch(/^Starting the training process/);
    expect(beginning(view({ state: "paused", message: "" }))).toMatch(
      /^Paused: Resume continues from here\. After ten minutes/,
    );
    expect(
      ["running", "finished", "failed"].map((state) =>
        beginning(view({ state: state as "failed", message: "Said elsewhere." })),
      ),
    ).toEqual(["", "", ""]);
  });

  it("keep what is known of metrics beside a view that brings none", () => {
    labelMetrics({});
    expect(quantity("accuracy", 0.9972)).toBe("99.7%");
    expect(isLogarithmic("loss")).toBe(true);
  });

  it("writes durations", () => {
    expect(duration(8.4)).toBe("8 s");
    expect(duration(125)).toBe("2 min 5 s");
    expect(duration(3700)).toBe("1 h 1 min");
  });

  it("writes quantities in their own unit", () => {
    expect(quantity("accuracy", 0.9567)).toBe("95.7%");
    expect(quantity("loss", 0.12345)).toBe("0.1235");
    expect(quantity("loss", 0.00001)).toBe("1.00e-5");
    expect(quantity("loss", null)).toBe("–");
    expect(quantity("samples_per_s", 5396.02)).toBe("5,396");
  });

  it("writes no more digits on an axis than needed", () => {
    expect([0, 0.5, 2].map((value) => tick("loss", value))).toEqual(["0", "0.5", "2"]);
    expect(tick("accuracy", 0.9)).toBe("90%");
    expect(tick("lr", 0.0001)).toBe("1e-4");
    expect([6000, 1234.5, 0.05].map((value) => tick("samples_per_s", value))).toEqual(["6,000", "1,235", "0.05"]);
  });

  it("says where a run stands and when it ends", () => {
    expect(progressLine(view({}))).toBe("Epoch 2 of 10 · step 40 of 200 · 32 s left");
    expect(progressLine(view({ state: "finished", epoch: 10, step: 200, left_s: 0, elapsed_s: 40 }))).toBe(
      "Epoch 10 of 10 · 40 s",
    );
    expect(share(view({}))).toBe(0.2);
    expect(share(view({ state: "finished", step: 190 }))).toBe(1);
  });
});

describe("what is smoothed", () => {
  const many = (count: number, from = 1): MetricRecord => {
    const step = Array.from({ length: count }, (_, i) => from + i);
    return { attempt: 1, kind: "step", step, loss: step.map((i) => (i % 50 ? 1 + (((i * 7) % 13) - 6) / 100 : 51)) };
  };

  it("is the mean that came with a thinned curve, and each step itself else", () => {
    const series = new Series();
    series.add([{ attempt: 1, kind: "step", step: [1, 9], loss: [8, 2], loss_mean: [4, 3] }], 1);
    series.add([{ attempt: 1, kind: "step", step: [10], loss: [7] }], 1);
    const curves = series.quantities.get("loss")!.curves;
    expect(curves.get("step")!.y).toEqual([8, 2, 7]);
    expect(curves.get("calm")!.y).toEqual([4, 3, 7]);
  });

  it("stays the mean when a run is watched for hours: spikes do not lift it", () => {
    const series = new Series();
    series.add([many(30000)], 1);
    const { step, calm } = Object.fromEntries(series.quantities.get("loss")!.curves);
    const mean = (column: (number | null)[]): number =>
      column.reduce<number>((sum, v) => sum + (v ?? 0), 0) / column.length;
    expect(step!.y.length).toBeLessThan(6000);
    expect(calm!.x).toEqual(step!.x);
    expect(mean(step!.y)).toBeGreaterThan(5);
    expect(mean(calm!.y)).toBeCloseTo(2, 1);
  });

  it("tells the newest step and epoch that were seen", () => {
    const series = new Series();
    series.add([many(7), epoch({ epoch: [1, 2], val_loss: [1, 1] })], 3);
    expect(series.newest).toEqual({ step: 7, epoch: 2 });
    series.clear();
    expect(series.newest).toEqual({ step: 0, epoch: 0 });
  });
});

describe("names of quantities", () => {
  it("are words, and say of what they are where there are several", () => {
    expect(title("iou")).toBe("Intersection over union");
    expect(title("constructor")).toBe("Constructor");
    expect(quantity("x_constructor", 0.5)).toBe("0.5000");
    expect(title("ler")).toBe("Label error rate");
    expect(title("kl_loss")).toBe("Loss of kl");
    expect(title("real_score_1_accuracy")).toBe("Accuracy of real_score_1");
    expect(title("grad_norm")).toBe("Gradient norm");
  });

  it("name a metric of several losses by what the run says it is of", () => {
    const aims = { "": "digit", real_score_1: "real_score against 1" };
    expect(title("accuracy", aims)).toBe("Accuracy of digit");
    expect(title("real_score_1_loss", aims)).toBe("Loss of real_score against 1");
    expect(title("loss", aims)).toBe("Loss");
    expect(title("lr", aims)).toBe("Learning rate");
  });

  it("of several runs say only what all of them say", () => {
    expect(agreed([{ "": "digit", kl: "code" }, { "": "digit" }])).toEqual({ "": "digit", kl: "code" });
    expect(agreed([{ "": "digit" }, {}])).toEqual({});
  });

  it("give an accuracy of one of several losses in percent too", () => {
    expect(quantity("real_score_1_accuracy", 0.7601)).toBe("76.0%");
    expect(tick("made_score_0_accuracy", 0.5)).toBe("50%");
  });
  it("offer a logarithmic axis to every loss", () => {
    expect(["loss", "kl_loss", "lr", "accuracy", "r2"].map(isLogarithmic)).toEqual([true, true, true, false, false]);
  });
  it("say where the cursor is", () => {
    expect(place("epoch", 4.31852)).toBe("epoch 4.319");
    expect(place("step", 12345)).toBe("step 12,345");
  });
});
