/**
 * Why what leaves an output cannot go into a port. Two facts only, and no arithmetic: what the
 * analysis saw on the wire, and what the catalogue says the port takes.
 */

import type { PortSpec } from "../protocol";

/** "(N, 20) int64" as its number of dimensions and dtype; null for what is not known, or an integer. */
export function seen(shape: string | undefined): { rank: number; dtype: string } | null {
  const found = /^\((.*)\)(?: (\w+))?$/.exec(shape ?? "");
  if (!found) return null;
  return { rank: (found[1] ?? "").split(",").filter((part) => part.trim()).length, dtype: found[2] ?? "float32" };
}

export const isWhole = (port: PortSpec): boolean => port.kind === "size" || port.kind === "sizes";

const floating = (dtype: string) => /^b?float/.test(dtype);

/** Why an output and a port do not go together by kind, dtype or number of dimensions; "" if they do. */
export function misfit(out: PortSpec, into: PortSpec, from: string, to: string, shape?: string): string {
  if (!out.either && !into.either && isWhole(out) !== isWhole(into)) {
    return isWhole(into)
      ? `${to} needs an integer, as from a size block; ${from} gives a tensor.`
      : `${to} needs a tensor; ${from} gives an integer.`;
  }
  const known = seen(shape);
  if (!known || isWhole(into)) return "";
  const gives = `${from} gives ${words(known.dtype)}: ${shape}.`;
  if (into.dtype === "float" && !floating(known.dtype)) {
    const tokens = known.dtype === "int64" && known.rank === 2;
    return `${to} needs floats, ${gives} Put ${tokens ? "an Embedding" : "a “to” block"} between.`;
  }
  if (into.dtype === "int" && known.dtype !== "int64" && known.dtype !== "int32") return `${to} needs integers, ${gives}`;
  if (into.rank?.length && !into.rank.includes(known.rank)) {
    return `${to} needs ${into.form || `${into.rank.join(" or ")} dimensions`}, ${from} gives ${shape}.`;
  }
  return "";
}

function words(dtype: string): string {
  return floating(dtype) ? "floats" : dtype === "bool" ? "true or false" : "integers";
}
