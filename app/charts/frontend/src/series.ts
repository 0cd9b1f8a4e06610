/** Turns the records of a run into curves over epochs. */

import type { Column, MetricRecord } from "./protocol";
import { extremes, means } from "./smooth";

export interface Curve {
  x: number[];
  y: Column;
}

/** One chart: a quantity such as "loss" with a curve per part ("each step", "training", ...). */
export interface Quantity {
  name: string;
  curves: Map<Part, Curve>;
}

/** "calm": what is smoothed in place of "step", which keeps the extremes where steps are many. */
export type Part = "step" | "calm" | "train" | "val" | "value";

const MANY = 20000;
const FEW = 5000;
const NOT_DRAWN = new Set(["attempt", "kind", "step", "epoch", "elapsed_s"]);

/** Splits "val_loss" into its part and its quantity; a bare name is one value per epoch. */
export function split(name: string): [Part, string] {
  if (name.startsWith("train_")) return ["train", name.slice(6)];
  if (name.startsWith("val_")) return ["val", name.slice(4)];
  return ["value", name];
}

const numbers = (value: unknown): Column =>
  Array.isArray(value) ? value.map((item) => (typeof item === "number" ? item : null)) : [];

/** A run that is watched for hours: older points make room; `calm` keeps their means. */
function thin(curve: Curve, calm: Curve): void {
  const kept = extremes(curve.y, FEW);
  calm.y = means(calm.y, kept, FEW);
  curve.y = kept.map((i) => curve.y[i]!);
  curve.x = calm.x = kept.map((i) => curve.x[i]!);
}

export class Series {
  readonly quantities = new Map<string, Quantity>();
  /** The newest step and epoch that there is a point of: a run's own account may lag behind. */
  newest = { step: 0, epoch: 0 };

  clear(): void {
    this.quantities.clear();
    this.newest = { step: 0, epoch: 0 };
  }

  /** Adds records in order; `stepsPerEpoch` places the steps on the axis of epochs. */
  add(records: MetricRecord[], stepsPerEpoch: number): void {
    for (const record of records) {
      if (record.kind === "step") this.addSteps(record, stepsPerEpoch);
      else if (record.kind === "pulse") this.addPulse(record, stepsPerEpoch);
      else if (record.kind === "epoch") this.addEpochs(record);
    }
  }

  /** The latest finite value of a curve, or null. */
  last(quantity: string, part: Part): number | null {
    const curve = this.quantities.get(quantity)?.curves.get(part);
    return curve?.y.findLast((value) => value !== null) ?? null;
  }

  private addSteps(record: MetricRecord, stepsPerEpoch: number): void {
    const steps = numbers(record.step);
    const losses = numbers(record.loss);
    const calm = record.loss_mean ? numbers(record.loss_mean) : losses;
    steps.forEach((step, i) => {
      if (step === null) return;
      const x = step / Math.max(1, stepsPerEpoch);
      this.put("loss", "step", x, losses[i]);
      this.put("loss", "calm", x, calm[i]);
      this.newest.step = Math.max(this.newest.step, step);
    });
    const curves = this.quantities.get("loss")?.curves;
    const curve = curves?.get("step");
    if (curve && curve.x.length > MANY) thin(curve, curves!.get("calm")!);
  }

  private addPulse(record: MetricRecord, stepsPerEpoch: number): void {
    const steps = numbers(record.step);
    for (const name of ["grad_norm", "samples_per_s"]) {
      const values = numbers(record[name]);
      steps.forEach((step, i) => {
        if (step !== null) this.put(name, "value", step / Math.max(1, stepsPerEpoch), values[i]);
      });
    }
  }

  private addEpochs(record: MetricRecord): void {
    const epochs = numbers(record.epoch);
    this.newest.epoch = Math.max(this.newest.epoch, ...epochs.map((epoch) => epoch ?? 0));
    for (const [name, column] of Object.entries(record)) {
      if (NOT_DRAWN.has(name)) continue;
      const [part, quantity] = split(name);
      const values = numbers(column);
      epochs.forEach((epoch, i) => {
        if (epoch !== null && values.length) this.put(quantity, part, epoch, values[i]);
      });
    }
  }

  private put(name: string, part: Part, x: number, y: number | null | undefined): void {
    const quantity = this.quantities.get(name) ?? { name, curves: new Map<Part, Curve>() };
    this.quantities.set(name, quantity);
    const curve = quantity.curves.get(part) ?? { x: [], y: [] };
    quantity.curves.set(part, curve);
    if (curve.x.length && x <= curve.x[curve.x.length - 1]!) return; // said twice
    curve.x.push(x);
    curve.y.push(y ?? null);
  }
}
