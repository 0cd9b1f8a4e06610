/**
 * The size formula of convolution and pooling with the student's own numbers filled in, as TeX.
 * Only the substitution is made here; the size after the last "=" is the one torch gave.
 */

import type { BlockSpec, Json, Settings } from "../protocol";

export interface Sizes {
  /** What comes in and goes out, as shown on the wires: "(N, 1, 28, 28)". */
  takes: string;
  gives: string;
}

const SPATIAL = /^(Conv|ConvTranspose|MaxPool|AvgPool|LPPool)([123])d$/;
const NAMES: Record<string, readonly string[]> = { 1: ["L"], 2: ["H", "W"], 3: ["D", "H", "W"] };

/** One line of TeX for each size of the image that differs; none where there is nothing to fill in. */
export function filled(block: string, spec: BlockSpec, given: Settings, sizes: Sizes): string[] {
  const found = SPATIAL.exec(block);
  const [, kind = "", count = ""] = found ?? [];
  const names = NAMES[count];
  const into = numbers(sizes.takes), out = numbers(sizes.gives);
  if (!names || into.length !== names.length + 1 || out.length !== into.length) return [];
  if (setting(spec, given, "padding") === "same") return []; // torch then chooses the padding itself
  const lines = names.map((_, i) => {
    const at = (name: string, usual: number) => pick(setting(spec, given, name), i, usual);
    return line(kind, into[i + 1] as number, at, setting(spec, given, "ceil_mode") === true);
  });
  const results = lines.map((text, i) => `${text} = ${out[i + 1]}`);
  if (new Set(results).size === 1) return [`${names.map((n) => `${n}'`).join(" = ")} = ${results[0]}`];
  return results.map((text, i) => `${names[i]}' = ${text}`);
}

type At = (name: string, usual: number) => number;

function line(kind: string, size: number, at: At, ceil: boolean): string {
  const kernel = at("kernel_size", 1), dilation = at("dilation", 1);
  if (kind === "ConvTranspose") {
    const grown = `(${size} - 1) \\cdot ${at("stride", 1)} - 2 \\cdot ${at("padding", 0)}`;
    return `${grown} + ${dilation} \\cdot (${kernel} - 1) + ${at("output_padding", 0)} + 1`;
  }
  const stride = at("stride", kind === "Conv" ? 1 : kernel);
  const [open, close] = ceil ? ["\\lceil", "\\rceil"] : ["\\lfloor", "\\rfloor"];
  const padded = kind === "LPPool" ? `${size}` : `${size} + 2 \\cdot ${at("padding", 0)}`;
  const reach = dilation === 1 ? `${kernel}` : `${dilation} \\cdot (${kernel} - 1) - 1`;
  return `\\left${open} \\frac{${padded} - ${reach}}{${stride}} \\right${close} + 1`;
}

/** The sizes of one sample: "(N, 6, 28, 28)" as [6, 28, 28]; empty where one is not a number. */
function numbers(shape: string): number[] {
  const parts = shape.replace(/^\(|\).*$/g, "").split(",").map((s) => s.trim()).filter(Boolean);
  const sizes = parts.slice(1).map(Number);
  return parts[0] === "N" && sizes.every(Number.isInteger) ? sizes : [];
}

function setting(spec: BlockSpec, given: Settings, name: string): Json | undefined {
  return given[name] ?? spec.settings.find((s) => s.name === name)?.default;
}

/** A setting for one dimension: 3 stands for all, [3, 5] for one each; none or a word is the usual. */
function pick(value: Json | undefined, i: number, usual: number): number {
  const one = Array.isArray(value) ? value[value.length === 1 ? 0 : i] : value;
  return typeof one === "number" ? one : usual;
}
