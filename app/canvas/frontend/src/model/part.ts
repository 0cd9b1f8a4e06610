/** Some blocks by themselves: which they are, and what Python calculated of them. */

import type { Graph } from "./drawing";
import { ancestors, isEnd } from "./graph";
import type { Feed } from "../protocol";

export type { Calculated, Feed, PartBlock, PartEnd } from "../protocol";

/** What the Inputs of a part receive. */
export const FEEDS = {
  sample: "Values of the sample",
  random: "Random numbers",
  zeros: "Zeros",
  ones: "Ones",
} as const satisfies Record<Feed, string>;

/** All blocks that are meant: of two, those on the ways between them too. In file order. */
export function meant(graph: Graph, chosen: ReadonlySet<string>): string[] {
  const ids = Object.keys(graph.nodes).filter((id) => chosen.has(id));
  const [a = "", b = ""] = ids;
  if (ids.length !== 2) return ids;
  const before = new Map(Object.keys(graph.nodes).map((id) => [id, ancestors(graph, id)]));
  const [start, end] = before.get(a)?.has(b) ? [b, a] : [a, b];
  if (!before.get(end)?.has(start)) return ids;
  return Object.keys(graph.nodes).filter(
    (id) => id === start || id === end || (before.get(end)?.has(id) && before.get(id)?.has(start)),
  );
}

/** "conv2", "conv2 to fc1" or "3 blocks"; "" where no block calculates. */
export function named(graph: Graph, ids: readonly string[]): string {
  const inner = ids.filter((id) => !isEnd(graph.nodes[id]));
  if (inner.length < 2) return inner[0] ?? "";
  return `${inner[0]} to ${inner.at(-1)}`;
}

/** Milliseconds, as many digits as mean something. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return "";
  return ms < 0.01 ? "< 0.01 ms" : `${ms < 1 ? ms.toFixed(2) : ms.toPrecision(3)} ms`;
}
