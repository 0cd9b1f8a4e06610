/** The autograd graph of a step as rows from the loss down, with lanes for its edges; folded by block. */

import type { AutogradGraph } from "../protocol";

export type { AutogradGraph, GraphNode, Saved } from "../protocol";

/** One line of the list: a node, a folded block (all of `nodes`), or the head of an open one. */
export interface Row {
  kind: "node" | "folded" | "head";
  /** Path of the block; of a node that of its block. */
  block: string;
  /** Whether the row stands alone for its block, so that it has to name it. */
  named: boolean;
  depth: number;
  nodes: number[];
  bytes: number;
}

/** Up to so many nodes all blocks are open to begin with. */
export const OPEN_TO_BEGIN = 60;

export const LOSS = "the loss";

/** The blocks of a graph that can be folded, by path, "stage1" and "stage1.0" among those of "stage1.0.conv1". */
export function foldable(graph: AutogradGraph): Set<string> {
  const found = new Set<string>();
  for (const { block } of graph.nodes) for (const path of upwards(block)) found.add(path);
  return found;
}

/** A path and all that it stands in, the outermost first; of the loss it alone. */
export function upwards(block: string): string[] {
  const parts = block.split(".");
  return parts.map((_, i) => parts.slice(0, i + 1).join("."));
}

/** The rows that are shown while some blocks are open; a block of one node is that node. */
export function rowsOf(graph: AutogradGraph, open: ReadonlySet<string>): Row[] {
  return rowsWithin(
    graph,
    graph.nodes.map((_, n) => n),
    "",
    0,
    open,
  );
}

function rowsWithin(
  graph: AutogradGraph,
  among: number[],
  within: string,
  depth: number,
  open: ReadonlySet<string>,
): Row[] {
  const rows: Row[] = [];
  for (const [path, nodes] of byBlock(graph, among, within)) {
    const whole = {
      block: path,
      named: true,
      depth,
      nodes,
      bytes: nodes.reduce((sum, n) => sum + (graph.nodes[n]?.bytes ?? 0), 0),
    };
    if (within !== "" && path === within) rows.push(...nodes.map((n) => single(graph, n, depth, false)));
    else if (nodes.length === 1) rows.push(single(graph, nodes[0] ?? 0, depth, true));
    else if (!open.has(path)) rows.push({ kind: "folded", ...whole });
    else
      rows.push(
        { kind: "head", ...whole },
        ...(path === ""
          ? nodes.map((n) => single(graph, n, depth + 1, false))
          : rowsWithin(graph, nodes, path, depth + 1, open)),
      );
  }
  return rows;
}

function single(graph: AutogradGraph, n: number, depth: number, named: boolean): Row {
  return {
    kind: "node",
    block: graph.nodes[n]?.block ?? "",
    named,
    depth,
    nodes: [n],
    bytes: graph.nodes[n]?.bytes ?? 0,
  };
}

/** Nodes by the block one level below `within`, in the order in which they come. */
function byBlock(graph: AutogradGraph, among: number[], within: string): Map<string, number[]> {
  const level = within === "" ? 1 : within.split(".").length + 1,
    found = new Map<string, number[]>();
  for (const n of among) {
    const path = (graph.nodes[n]?.block ?? "").split(".").slice(0, level).join(".");
    found.set(path, [...(found.get(path) ?? []), n]);
  }
  return found;
}

/** What the lanes of a row draw: lines from the row above (`from`) and to the row below (`to`), between lanes. */
export interface Lane {
  /** Where the row's dot stands; -1 for a head, which has none. */
  dot: number;
  above: [number, number][];
  below: [number, number][];
}

/** Lanes of all rows; an edge runs from the dot of its row down to the dot that it leads to. */
export function lanesOf(rows: readonly Row[], edges: readonly [number, number][]): Lane[] {
  const place = new Map<number, number>();
  rows.forEach((row, i) => {
    if (row.kind !== "head") for (const n of row.nodes) place.set(n, i);
  });
  const after = rows.map(() => new Set<number>());
  for (const [from, to] of edges) {
    const a = place.get(from),
      b = place.get(to);
    if (a !== undefined && b !== undefined && a < b) after[a]?.add(b);
  }
  let lanes: (number | null)[] = []; // where the line that runs in each lane leads to
  return rows.map((row, i) => {
    if (row.kind === "head") return { dot: -1, above: through(lanes), below: through(lanes) };
    const arriving = lanes.flatMap((to, k) => (to === i ? [k] : []));
    const dot = arriving[0] ?? free(lanes);
    const above: [number, number][] = lanes.flatMap((to, k): [number, number][] =>
      to === null ? [] : [[k, to === i ? dot : k]],
    );
    const kept = lanes.map((to) => (to === i ? null : to));
    const below = through(kept);
    for (const to of [...(after[i] ?? [])].sort((a, b) => b - a)) {
      const there = kept.indexOf(to);
      const lane = there >= 0 ? there : kept[dot] == null ? dot : free(kept);
      kept[lane] = to;
      below.push([dot, lane]);
    }
    while (kept.length && kept.at(-1) === null) kept.pop();
    lanes = kept;
    return { dot, above, below };
  });
}

const through = (lanes: readonly (number | null)[]): [number, number][] =>
  lanes.flatMap((to, k): [number, number][] => (to === null || to === undefined ? [] : [[k, k]]));

function free(lanes: readonly (number | null)[]): number {
  const gap = lanes.indexOf(null);
  return gap < 0 ? lanes.length : gap;
}

/** How many lanes stand beside each other at most. */
export const width = (lanes: readonly Lane[]): number =>
  1 + Math.max(0, ...lanes.flatMap(({ dot, above, below }) => [dot, ...above.flat(), ...below.flat()]));
