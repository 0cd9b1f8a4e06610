/** What travels on a wire, in words: the one place where a shape is written. */

import type { Signature } from "../protocol";

const USUAL = "float32";

/** "(N, 6, 28, 28)", with the dtype where that is not float32; an integer as "=28". */
export function label({ shape, dtype, value }: Signature): string {
  if (value !== undefined) return `=${value}`;
  const text = `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  return dtype === USUAL ? text : `${text} ${dtype}`;
}

/** The same without the batch, where there is little room: "6×28×28". */
export function shortLabel(signature: Signature): string {
  const [batch, ...sizes] = signature.shape;
  if (signature.value !== undefined || batch !== "N" || !sizes.length) return label(signature);
  return signature.dtype === USUAL ? sizes.join("×") : `${sizes.join("×")} ${signature.dtype}`;
}

/** All that leaves a block, port by port; "" where nothing is known. */
export const labels = (outputs: Readonly<Record<string, Signature>>): string => Object.values(outputs).map(label).join(", ");

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
