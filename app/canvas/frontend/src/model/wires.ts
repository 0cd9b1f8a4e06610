/** The wires of a drawing by their ends, found once: a settings edit leaves the list as it is. */

import type { Edge } from "./drawing";

export interface Wires {
  into(id: string): readonly Edge[];
  from(id: string): readonly Edge[];
}

const NONE: readonly Edge[] = [];
const known = new WeakMap<readonly Edge[], Wires>();

function grouped(edges: readonly Edge[], end: "source" | "target"): Map<string, Edge[]> {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const mine = groups.get(edge[end]);
    if (mine) mine.push(edge);
    else groups.set(edge[end], [edge]);
  }
  return groups;
}

export function wiresOf(edges: readonly Edge[]): Wires {
  let wires = known.get(edges);
  if (!wires) {
    const targets = grouped(edges, "target"),
      sources = grouped(edges, "source");
    wires = { into: (id) => targets.get(id) ?? NONE, from: (id) => sources.get(id) ?? NONE };
    known.set(edges, wires);
  }
  return wires;
}

function reached(id: string, next: (id: string) => readonly string[]): Set<string> {
  const ids = new Set<string>();
  const work = [id];
  for (let name = work.pop(); name !== undefined; name = work.pop()) {
    for (const other of next(name)) {
      if (!ids.has(other)) work.push(other);
      ids.add(other);
    }
  }
  return ids;
}

/** All nodes from which data can reach `id`. */
export function before(edges: readonly Edge[], id: string): Set<string> {
  const wires = wiresOf(edges);
  return reached(id, (name) => wires.into(name).map((e) => e.source));
}

/** All nodes that data of `id` can reach. */
export function behind(edges: readonly Edge[], id: string): Set<string> {
  const wires = wiresOf(edges);
  return reached(id, (name) => wires.from(name).map((e) => e.target));
}
