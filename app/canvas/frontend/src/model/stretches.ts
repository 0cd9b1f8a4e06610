/** A graph in stretches between which one wire leads on: each can be laid out by itself. */

import type { Edge, Graph } from "./drawing";
import { wiresOf } from "./wires";

export interface Stretch {
  ids: readonly string[];
  /** The wires between these. */
  edges: readonly Edge[];
  /** The one that leads here from those before. */
  from: Edge | undefined;
}

/** In the order of the data; all in one where nothing can be cut. */
export function stretchesOf(graph: Graph): Stretch[] {
  const rank = ranksOf(graph),
    ids = Object.keys(graph.nodes);
  if (!rank || !ids.length) return [{ ids, edges: graph.edges, from: undefined }];
  const starts = cutsOf(graph.edges, rank),
    count = Math.max(...rank.values()) + 1;
  const place: number[] = [];
  for (let r = 0, at = -1; r < count; r++) place.push(starts.has(r) || r === 0 ? ++at : at);
  const stretches = [...new Set(place)].map(() => ({
    ids: [] as string[],
    edges: [] as Edge[],
    from: undefined as Edge | undefined,
  }));
  const of = (id: string) => stretches[place[rank.get(id) ?? 0] ?? 0];
  for (const id of ids) of(id)?.ids.push(id);
  for (const edge of graph.edges) {
    const mine = of(edge.target);
    if (!mine) continue;
    if (mine === of(edge.source)) mine.edges.push(edge);
    else mine.from = edge;
  }
  return stretches;
}

/** Ranks with which rows may begin: only one wire leads there from those before. */
function cutsOf(edges: readonly Edge[], rank: ReadonlyMap<string, number>): Set<number> {
  const change = new Map<number, number>();
  const add = (at: number, by: number) => change.set(at, (change.get(at) ?? 0) + by);
  for (const { source, target } of edges) {
    add((rank.get(source) ?? 0) + 1, 1);
    add((rank.get(target) ?? 0) + 1, -1);
  }
  const cuts = new Set<number>();
  let open = 0;
  for (let r = 0; r <= Math.max(...rank.values()); r++) {
    open += change.get(r) ?? 0;
    if (open === 1) cuts.add(r);
  }
  return cuts;
}

/** For each node how many come before it, at most; one that reads nothing stands right before what it leads to. Null in a circle. */
function ranksOf(graph: Graph): Map<string, number> | null {
  const wires = wiresOf(graph.edges),
    ids = Object.keys(graph.nodes);
  const waits = new Map(
    ids.map((id) => [id, wires.into(id).filter((e) => Object.hasOwn(graph.nodes, e.source)).length]),
  );
  const rank = new Map<string, number>(),
    ready = ids.filter((id) => !waits.get(id));
  for (const id of ready) {
    rank.set(id, Math.max(0, ...wires.into(id).map((e) => (rank.get(e.source) ?? -1) + 1)));
    for (const { target } of wires.from(id)) {
      const left = (waits.get(target) ?? 0) - 1;
      waits.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
  if (rank.size < ids.length) return null;
  for (const id of ids) {
    const targets = wires.from(id).flatMap((e) => rank.get(e.target) ?? []);
    if (targets.length && !wires.into(id).length) rank.set(id, Math.max(0, Math.min(...targets) - 1));
  }
  return rank;
}
