/** The wires of a drawing by their ends, found once: a settings edit leaves the list as it is. */

import type { Signature } from "../protocol";
import type { Edge } from "./drawing";
import { label } from "./signature";

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

/** Whether a block gives what it takes in its one wire in the same shape, as an activation does. */
export function passesOn(
  edges: readonly Edge[],
  outputs: (id: string) => Readonly<Record<string, Signature>> | undefined,
  id: string,
  port: string,
): boolean {
  const [only, ...others] = wiresOf(edges).into(id);
  if (!only || others.length) return false;
  const comes = outputs(only.source)?.[only.sourcePort],
    goes = outputs(id)?.[port];
  return comes !== undefined && goes !== undefined && label(comes) === label(goes);
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
