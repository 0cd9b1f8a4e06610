/**
 * Why what leaves an output cannot go into a port. Two facts only, and no arithmetic: what the
 * analysis saw on the wire, and what the catalogue says the port takes.
 */

import type { PortSpec, Signature } from "../protocol";
import { label } from "./signature";

export const isIntegerPort = (port: PortSpec): boolean => port.kind === "size" || port.kind === "sizes";

const floating = (dtype: string) => /^b?float/.test(dtype);

/** Why an output and a port do not go together by kind, dtype or number of dimensions; "" if they do. */
export function incompatibility(
  out: PortSpec,
  into: PortSpec,
  from: string,
  to: string,
  signature?: Signature,
): string {
  if (!out.either && !into.either && isIntegerPort(out) !== isIntegerPort(into)) {
    return isIntegerPort(into)
      ? `${to} needs an integer, as from a size block; ${from} gives a tensor.`
      : `${to} needs a tensor; ${from} gives an integer.`;
  }
  if (!signature || signature.value !== undefined || isIntegerPort(into)) return "";
  const {
    shape: { length: rank },
    dtype,
  } = signature;
  const gives = `${from} gives ${words(dtype)}: ${label(signature)}.`;
  if (into.dtype === "float" && !floating(dtype)) {
    const tokens = dtype === "int64" && rank === 2;
    return `${to} needs floats, ${gives} Put ${tokens ? "an Embedding" : "a “to” block"} between.`;
  }
  if (into.dtype === "int" && dtype !== "int64" && dtype !== "int32") return `${to} needs integers, ${gives}`;
  if (into.rank?.length && !into.rank.includes(rank)) {
    return `${to} needs ${into.form || `${into.rank.join(" or ")} dimensions`}, ${from} gives ${label(signature)}.`;
  }
  return "";
}

function words(dtype: string): string {
  return floating(dtype) ? "floats" : dtype === "bool" ? "true or false" : "integers";
}
