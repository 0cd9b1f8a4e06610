/** Which blocks can take what leaves an output, and which can feed an input. */

import type { PortSpec, Signature } from "../protocol";
import { type Catalogue, search } from "./catalogue";
import { incompatibility } from "./compatibility";
import type { Graph } from "./drawing";
import { endsOf } from "./ports";

/** The first input of a block that a wire of this kind can go to; undefined when there is none. */
export function acceptingInput(
  out: PortSpec,
  block: string,
  graph: Graph,
  catalogue: Catalogue,
  signature?: Signature,
): string | undefined {
  const inputs = endsOf(block, graph.composites, catalogue)?.Input ?? catalogue.block(block)?.inputs ?? [];
  const port = inputs.find((into) => incompatibility(out, into, "", "", signature) === "");
  return port && (port.kind === "tensors" || port.kind === "sizes" ? `${port.name}.0` : port.name);
}

/** Blocks of the palette that can take a wire, own ones first; in catalogue order without a query. */
export function consumers(
  out: PortSpec,
  signature: Signature | undefined,
  query: string,
  graph: Graph,
  catalogue: Catalogue,
  own: readonly string[],
): string[] {
  return named(query, catalogue, own).filter(
    (name) => acceptingInput(out, name, graph, catalogue, signature) !== undefined,
  );
}

/** The first output of a block that a port can take; undefined when there is none. */
export function feedingOutput(into: PortSpec, block: string, graph: Graph, catalogue: Catalogue): string | undefined {
  const outputs = endsOf(block, graph.composites, catalogue)?.Output ?? catalogue.block(block)?.outputs ?? [];
  return outputs.find((out) => out.kind !== "tensors" && incompatibility(out, into, "", "") === "")?.name;
}

/** Blocks of the palette that can feed a port, own ones first; in catalogue order without a query. */
export function producers(
  into: PortSpec,
  query: string,
  graph: Graph,
  catalogue: Catalogue,
  own: readonly string[],
): string[] {
  return named(query, catalogue, own).filter((name) => feedingOutput(into, name, graph, catalogue) !== undefined);
}

function named(query: string, catalogue: Catalogue, own: readonly string[]): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return [...own.filter((name) => words.every((w) => name.toLowerCase().includes(w))), ...search(catalogue, query)];
}
