/** The blocks that a first network for some data is made of; the ends where a drawing lacks them. */

import type { NodeJson, Settings, Signature, Suggestion } from "../protocol";

/** What an Input gives, as far as its settings say it. */
export function givenBy({ shape, dtype }: Settings): Signature | undefined {
  if (!Array.isArray(shape)) return undefined;
  return { shape: ["N", ...(shape as number[])], dtype: typeof dtype === "string" ? dtype : "float32" };
}

const isInteger = (dtype: string): boolean => /^u?int/.test(dtype);

const fits = ({ rank, dtype }: Suggestion, given: Signature | undefined): boolean =>
  (!rank.length || (given !== undefined && rank.includes(given.shape.length))) &&
  (dtype === "any" || (given !== undefined && (dtype === "int") === isInteger(given.dtype)));

/** In the order in which they are usually drawn. given: what the Input gives; undefined where that is not known. */
export function suggested(
  suggestions: readonly Suggestion[],
  nodes: Readonly<Record<string, NodeJson>>,
  given: Signature | undefined,
): string[] {
  const blocks = new Set(Object.values(nodes).map(({ block }) => block));
  const layers = suggestions.find((one) => fits(one, given))?.blocks ?? [];
  return [
    ...(blocks.has("Input") ? [] : ["Input"]),
    ...layers,
    ...(blocks.size && !blocks.has("Output") ? ["Output"] : []),
  ];
}
