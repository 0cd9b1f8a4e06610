/**
 * Windows that slide: how kernel, stride, padding and dilation lie along each dimension of a block.
 * Only what was set and what torch gave; no size is worked out here.
 */

import type { BlockSpec, Json, Settings, Signature } from "../protocol";
import { sampleSizes } from "./signature";

/** slide: reads a window for each output; spread: writes one for each input; adaptive: by share. */
export type Kind = "slide" | "spread" | "adaptive";

export interface Window {
  name: string;
  kind: Kind;
  /** Sizes that come in and go out, as on the wires. */
  into: number;
  out: number;
  kernel: number;
  stride: number;
  before: number;
  after: number;
  dilation: number;
  outputPadding: number;
  ceil: boolean;
  same: boolean;
}

export interface Sizes {
  /** What comes in and goes out, as the wires have it; undefined while that is not known. */
  takes: Signature | undefined;
  gives: Signature | undefined;
}

const SPATIAL = /^(Conv|ConvTranspose|MaxPool|AvgPool|LPPool|MaxUnpool|AdaptiveAvgPool|AdaptiveMaxPool)([123])d$/;
const NAMES: Record<string, readonly string[]> = { 1: ["L"], 2: ["H", "W"], 3: ["D", "H", "W"] };

/** One window for each spatial dimension; none for other blocks, or while a size is not known. */
export function windowsOf(block: string, spec: BlockSpec, settings: Settings, sizes: Sizes): Window[] {
  const [, family = "", count = ""] = SPATIAL.exec(block) ?? [];
  const names = NAMES[count];
  const into = sampleSizes(sizes.takes),
    out = sampleSizes(sizes.gives);
  if (!names || into.length !== names.length + 1 || out.length !== into.length) return [];
  const of = (name: string) => setting(spec, settings, name);
  return names.map((name, i) => {
    const at = (key: string, usual: number) => pick(of(key), i, usual);
    const kernel = at("kernel_size", 1),
      dilation = at("dilation", 1);
    const total = of("padding") === "same" ? dilation * (kernel - 1) : null;
    return {
      name,
      kernel,
      dilation,
      into: into[i + 1] as number,
      out: out[i + 1] as number,
      kind: family.startsWith("Adaptive")
        ? "adaptive"
        : family === "ConvTranspose" || family === "MaxUnpool"
          ? "spread"
          : "slide",
      stride: at("stride", family === "Conv" || family === "ConvTranspose" ? 1 : kernel),
      before: total === null ? at("padding", 0) : Math.floor(total / 2),
      after: total === null ? at("padding", 0) : total - Math.floor(total / 2),
      outputPadding: at("output_padding", 0),
      ceil: of("ceil_mode") === true,
      same: total !== null,
    } satisfies Window;
  });
}

/** The part of the input that output `i` of an adaptive pooling reads: from, and up to (without). */
export function share(i: number, { into, out }: Pick<Window, "into" | "out">): [number, number] {
  return [Math.floor((i * into) / out), Math.ceil(((i + 1) * into) / out)];
}

export function setting(spec: BlockSpec, settings: Settings, name: string): Json | undefined {
  return settings[name] ?? spec.settings.find((s) => s.name === name)?.default;
}

/** A setting for one dimension: 3 stands for all, [3, 5] for one each; none or a word is the usual. */
export function pick(value: Json | undefined, i: number, usual: number): number {
  const one = Array.isArray(value) ? value[value.length === 1 ? 0 : i] : value;
  return typeof one === "number" ? one : usual;
}
