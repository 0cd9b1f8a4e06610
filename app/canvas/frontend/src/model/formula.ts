/**
 * The formulas of a block with the student's own numbers filled in, as TeX.
 * Only the substitution is made here; the number after the last "=" is the one torch gave.
 */

import type { BlockSpec, NodeAnnotation, Settings } from "../protocol";
import { sampleSizes } from "./signature";
import { setting, type Sizes, type Window, windowsOf } from "./slidingWindows";

/** One line of TeX for each size of the image that differs; none where there is nothing to fill in. */
export function sizeFormulas(block: string, spec: BlockSpec, settings: Settings, sizes: Sizes): string[] {
  const windows = windowsOf(block, spec, settings, sizes);
  const results = windows.map((w) => `${line(block, w)} = ${w.out}`);
  if (!results.length) return [];
  if (new Set(results).size === 1) return [`${windows.map((w) => `${w.name}'`).join(" = ")} = ${results[0]}`];
  return results.map((text, i) => `${windows[i]?.name}' = ${text}`);
}

function line(block: string, w: Window): string {
  if (w.kind === "adaptive") return `\\mathrm{output\\_size}`;
  if (w.kind === "spread") return spread(block, w);
  if (w.same) return `${w.into} + (${w.before} + ${w.after}) - ${w.dilation} \\cdot (${w.kernel} - 1)`;
  const [open, close] = w.ceil ? ["\\lceil", "\\rceil"] : ["\\lfloor", "\\rfloor"];
  const padded = block.startsWith("LPPool") ? `${w.into}` : `${w.into} + 2 \\cdot ${w.before}`;
  const reach = w.dilation === 1 ? `${w.kernel}` : `${w.dilation} \\cdot (${w.kernel} - 1) - 1`;
  const whole = (w.into + 2 * w.before - w.dilation * (w.kernel - 1) - 1) / w.stride;
  // torch leaves out a last window that would begin in the padding behind the image
  const left = w.ceil && Math.ceil(whole) + 1 === w.out + 1 ? " - 1" : "";
  return `\\left${open} \\frac{${padded} - ${reach}}{${w.stride}} \\right${close} + 1${left}`;
}

function spread(block: string, w: Window): string {
  const grown = `(${w.into} - 1) \\cdot ${w.stride} - 2 \\cdot ${w.before}`;
  if (block.startsWith("MaxUnpool")) return `${grown} + ${w.kernel}`;
  return `${grown} + ${w.dilation} \\cdot (${w.kernel} - 1) + ${w.outputPadding} + 1`;
}

/** Where the windows of an adaptive pooling lie, with its numbers; "" for other blocks. */
export function windowFormula(block: string, spec: BlockSpec, settings: Settings, sizes: Sizes): string {
  const [w] = windowsOf(block, spec, settings, sizes);
  if (w?.kind !== "adaptive") return "";
  const from = `\\left\\lfloor \\frac{${w.into}\\,i}{${w.out}} \\right\\rfloor`;
  return `i \\mapsto ${from} \\ldots \\left\\lceil \\frac{${w.into}\\,(i + 1)}{${w.out}} \\right\\rceil - 1`;
}

/** How the number of parameters comes about; "" where it is no simple product or not known. */
export function parameterFormula(
  block: string,
  spec: BlockSpec,
  settings: Settings,
  note: NodeAnnotation,
  takes: Sizes["takes"],
): string {
  if (!note.params || note.state) return "";
  const of = (name: string) => note.inferred?.[name] ?? setting(spec, settings, name);
  const bias = of("bias") === false ? "" : " + ";
  const end = `= ${note.params}\\ \\text{parameters}`;
  if (block === "Linear" && bothNumbers(of("in_features"), of("out_features"))) {
    return `${of("out_features")} \\cdot ${of("in_features")}${bias && `${bias}${of("out_features")}`} ${end}`;
  }
  if (block === "Embedding") return `${of("num_embeddings")} \\cdot ${of("embedding_dim")} ${end}`;
  const conv = /^Conv(Transpose)?([123])d$/.exec(block);
  if (!conv || !sampleSizes(takes).length) return "";
  const groups = Number(of("groups") ?? 1),
    kernel = of("kernel_size");
  const sides =
    Array.isArray(kernel) && kernel.length > 1
      ? kernel
      : Array(Number(conv[2])).fill(Array.isArray(kernel) ? kernel[0] : kernel);
  const into = groups === 1 ? `${of("in_channels")}` : `\\frac{${of("in_channels")}}{${groups}}`;
  const each = `${of("out_channels")} \\cdot ${into} \\cdot ${sides.join(" \\cdot ")}`;
  return `${each}${bias && `${bias}${of("out_channels")}`} ${end}`;
}

const bothNumbers = (a: unknown, b: unknown): boolean => typeof a === "number" && typeof b === "number";
