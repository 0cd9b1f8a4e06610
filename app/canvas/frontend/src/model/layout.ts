/** Tidy placement of all blocks, in layers along the direction of the data (dagre). */

import dagre from "@dagrejs/dagre";
import type { Layout } from "../protocol";
import type { Catalogue } from "./catalogue";
import { type Direction, GRID, type Size, sizeOf } from "./geometry";
import type { Drawing } from "./graph";
import { Ports } from "./ports";

export function cardSize(ports: Ports, id: string, direction: Direction): Size {
  return sizeOf(ports.drawn(id).length, ports.outputs(id).length, direction);
}

const snap = (value: number) => Math.round(value / GRID) * GRID;

/** Places for all nodes; the top left one is at 0, 0. */
export function tidy(drawing: Drawing, direction: Direction, catalogue: Catalogue): Layout {
  const ports = new Ports(catalogue, drawing.graph);
  const plan = new dagre.graphlib.Graph({ multigraph: true });
  const down = direction === "down";
  plan.setGraph({
    rankdir: down ? "TB" : "LR",
    nodesep: down ? 56 : 40,
    ranksep: down ? 56 : 128,
    ranker: Object.keys(drawing.graph.nodes).length > 400 ? "longest-path" : "network-simplex",
  });
  plan.setDefaultEdgeLabel(() => ({}));
  for (const id of Object.keys(drawing.graph.nodes)) plan.setNode(id, { ...cardSize(ports, id, direction) });
  drawing.graph.edges.forEach((e, i) => {
    if (plan.hasNode(e.source) && plan.hasNode(e.target)) plan.setEdge(e.source, e.target, {}, String(i));
  });
  dagre.layout(plan);
  const corners = Object.keys(drawing.graph.nodes).map((id) => {
    const { x, y, width, height } = plan.node(id) as Size & { x: number; y: number };
    return [id, x - width / 2, y - height / 2] as const;
  });
  const left = Math.min(...corners.map((c) => c[1])), top = Math.min(...corners.map((c) => c[2]));
  return Object.fromEntries(corners.map(([id, x, y]) => [id, [snap(x - left), snap(y - top)]]));
}

/** Places for the nodes that have none; the others stay where they are. */
export function completed(drawing: Drawing, direction: Direction, catalogue: Catalogue): Drawing {
  const missing = Object.keys(drawing.graph.nodes).filter((id) => !drawing.layout[id]);
  if (!missing.length) return drawing;
  const places = tidy(drawing, direction, catalogue);
  if (missing.length === Object.keys(drawing.graph.nodes).length) return { ...drawing, layout: places };
  const layout: Layout = { ...drawing.layout };
  for (const id of missing) layout[id] = beside(drawing, layout, id, direction) ?? (places[id] as [number, number]);
  return { ...drawing, layout };
}

/** A free place after the node that `id` reads from. */
function beside(drawing: Drawing, layout: Layout, id: string, direction: Direction): [number, number] | null {
  const source = drawing.graph.edges.find((e) => e.target === id && layout[e.source])?.source;
  const at = source ? layout[source] : undefined;
  return at ? freePlace(layout, at, direction) : null;
}

/** The first place after `at`, along the data, that no block covers. */
export function freePlace(layout: Layout, at: readonly [number, number], direction: Direction): [number, number] {
  const step = direction === "down" ? [0, 136] : [336, 0];
  const aside = direction === "down" ? [264, 0] : [0, 120];
  for (let row = 0; row < 50; row++) {
    const spot: [number, number] = [
      snap(at[0] + (step[0] as number) + row * (aside[0] as number)),
      snap(at[1] + (step[1] as number) + row * (aside[1] as number)),
    ];
    const covered = Object.values(layout).some(
      ([x, y]) => Math.abs(x - spot[0]) < 216 && Math.abs(y - spot[1]) < 96,
    );
    if (!covered) return spot;
  }
  return [at[0] + 24, at[1] + 24];
}
