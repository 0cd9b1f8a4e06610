/** What travels on a wire, in words: the one place where a shape is written. */

import type { Signature } from "../protocol";

const USUAL = "float32";

/** A shape as PyTorch writes it: "(N, 6, 28, 28)"; of one dimension "(784,)". */
export const shapeText = (sizes: readonly (number | string)[]): string =>
  `(${sizes.join(", ")}${sizes.length === 1 ? "," : ""})`;

/** "(N, 6, 28, 28)", with the dtype where that is not float32; an integer as "=28". */
export function label({ shape, dtype, value }: Signature): string {
  if (value !== undefined) return `=${value}`;
  return dtype === USUAL ? shapeText(shape) : `${shapeText(shape)} ${dtype}`;
}

/** The same in two lines of nearly the same length, for a narrow place; one line where it cannot be broken. */
export function twoLines(text: string): string[] {
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index);
  const longer = (at: number) => Math.max(at, text.length - at - 1);
  const at = spaces.reduce((best, space) => (longer(space) < longer(best) ? space : best), spaces[0] ?? -1);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** All that leaves a block, port by port; "" where nothing is known. */
export const labels = (outputs: Readonly<Record<string, Signature>>): string =>
  Object.values(outputs).map(label).join(", ");

/** The same in full, the usual dtype included; for what is not known, too. */
export function described(signature: Signature | undefined): string {
  if (!signature) return "not known yet";
  if (signature.value !== undefined) return `the integer ${signature.value}`;
  return signature.dtype === USUAL ? `${label(signature)} ${USUAL}` : label(signature);
}

/** The sizes of one sample: (N, 6, 28, 28) as [6, 28, 28]; empty where one is not known, or none. */
export function sampleSizes(signature: Signature | undefined): number[] {
  const [batch, ...sizes] = signature?.shape ?? [];
  return batch === "N" && sizes.every(Number.isInteger) ? (sizes as number[]) : [];
}
