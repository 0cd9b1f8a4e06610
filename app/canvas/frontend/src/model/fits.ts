/** Which blocks can take what leaves an output, and putting one there. */

import { type Catalogue, search } from "./catalogue";
import type { PortSpec } from "../protocol";
import { compositesOf } from "./scope";
import type { Graph } from "./graph";

/** The first input of a block that a wire of this kind can go to; undefined when there is none. */
export function taking(kind: PortSpec["kind"], block: string, graph: Graph, catalogue: Catalogue): string | undefined {
  const part = compositesOf(graph)[block];
  if (part) return kind === "size" ? undefined : Object.keys(part.nodes).find((id) => part.nodes[id]?.block === "Input");
  const port = catalogue.block(block)?.inputs.find((p) => (p.kind === "size") === (kind === "size"));
  return port && (port.kind === "tensors" ? `${port.name}.0` : port.name);
}

/** "(N, 6, 28, 28)" has rank 4; 0 when the shape is not known yet. */
export function rankOf(shape: string | undefined): number {
  return shape ? (shape.slice(0, shape.lastIndexOf(")")).match(/[^(),\s]+/g)?.length ?? 0) : 0;
}

/** Whether a block of this name needs another rank than the wire has: Conv2d takes images only. */
export function wrongRank(block: string, rank: number): boolean {
  const found = /^(?:Lazy)?(?:Conv|ConvTranspose|BatchNorm|InstanceNorm|MaxPool|AvgPool|AdaptiveMaxPool|AdaptiveAvgPool|LPPool|FractionalMaxPool|Dropout)([123])d$/.exec(block);
  if (!found || !rank) return false;
  const dims = Number(found[1]);
  return block === "BatchNorm1d" ? rank !== 2 && rank !== 3 : rank !== dims + 2;
}

/** Blocks of the palette that can take a wire, own ones first; in catalogue order without a query. */
export function takers(
  kind: PortSpec["kind"], shape: string | undefined, query: string, graph: Graph, catalogue: Catalogue, own: readonly string[],
): string[] {
  const rank = rankOf(shape);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const mine = own.filter((name) => words.every((w) => name.toLowerCase().includes(w)));
  return [...mine, ...search(catalogue, query)].filter(
    (name) => taking(kind, name, graph, catalogue) !== undefined && !wrongRank(name, rank));
}
