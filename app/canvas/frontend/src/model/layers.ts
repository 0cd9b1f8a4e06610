/** The blocks of a stretch in layers along the data, by dagre. */

import dagre from "@dagrejs/dagre";
import { cardSize } from "./cardSize";
import type { Direction, Size } from "./geometry";
import type { Ports } from "./ports";
import { type Box, columnOf } from "./rows";
import type { Stretch } from "./stretches";
import { wiresOf } from "./wires";

/** Dagre's order depends on that in which it is given nodes and wires; and each drawing has a mirror image. */
export interface Way {
  backwards: boolean;
  mirrored: boolean;
  ranker: "network-simplex" | "tight-tree" | "longest-path";
}

/** Between the layers of a drawing to the right: a shape such as (N, 16, 28, 28) fits on the wire. */
export const APART = 120;
/** The same downwards, and between blocks of a layer. */
export const BELOW = 56;
const BESIDE = { right: 44, down: 56 };

/** Places for the nodes of a stretch; those that are alone in their layer stand at 0 across the data. */
export function layered(stretch: Stretch, ports: Ports, direction: Direction, way: Way): Box[] {
  if (stretch.ids.length === 1)
    return straight(
      stretch.ids.map((id) => ({ id, x: 0, y: 0, ...cardSize(ports, id, direction) })),
      direction,
    );
  return straight(upright(byDagre(stretch, ports, direction, way), stretch, ports, direction, way.mirrored), direction);
}

function byDagre({ ids, edges }: Stretch, ports: Ports, direction: Direction, way: Way): Box[] {
  const order = <T>(all: readonly T[]) => (way.backwards ? all.toReversed() : all);
  const plan = new dagre.graphlib.Graph({ multigraph: true });
  const down = direction === "down";
  plan.setGraph({
    rankdir: down ? "TB" : "LR",
    nodesep: BESIDE[direction],
    ranksep: down ? BELOW : APART,
    ranker: way.ranker,
  });
  plan.setDefaultEdgeLabel(() => ({}));
  for (const id of order(ids)) plan.setNode(id, { ...cardSize(ports, id, direction) });
  order(edges).forEach((e, i) => {
    if (plan.hasNode(e.source) && plan.hasNode(e.target)) plan.setEdge(e.source, e.target, {}, String(i));
  });
  dagre.layout(plan);
  return ids.map((id) => {
    const { x, y, width, height } = plan.node(id) as Size & { x: number; y: number };
    return { id, x: x - width / 2, y: y - height / 2, width, height };
  });
}

/** Mirrored where the blocks that feed several ports of one block would else stand the other way round than these ports. */
function upright(boxes: Box[], { edges }: Stretch, ports: Ports, direction: Direction, mirrored: boolean): Box[] {
  const box = new Map(boxes.map((b) => [b.id, b])),
    wires = wiresOf(edges);
  const across = (b: Box | undefined) => (!b ? 0 : direction === "right" ? b.y + b.height / 2 : b.x + b.width / 2);
  let wrong = 0;
  for (const id of box.keys()) {
    const places = wires
      .into(id)
      .map((e) => [ports.drawn(id).findIndex((p) => p.name === e.targetPort), across(box.get(e.source))] as const);
    for (const [port, at] of places)
      for (const [other, there] of places) wrong += port < other ? Math.sign(at - there) : 0;
  }
  if (wrong > 0 === mirrored) return boxes;
  return boxes.map((b) => (direction === "right" ? { ...b, y: -b.y - b.height } : { ...b, x: -b.x - b.width }));
}

/**
 * Layers with one block each stand in one line, and wires that skip some find a lane beside; layers with
 * several keep their places to each other and move along.
 */
function straight(boxes: Box[], direction: Direction): Box[] {
  const turned = direction === "right" ? boxes : boxes.map(turn);
  const column = columnOf(turned),
    layers: Box[][] = [];
  for (const b of turned) (layers[column.get(b.id) ?? 0] ??= []).push(b);
  const line = (b: Box) => (direction === "right" ? b.y : b.y + b.height / 2);
  const lines = layers.map((layer) => (layer.length === 1 ? line(layer[0] as Box) : undefined));
  const known = (from: number, by: 1 | -1): number | undefined => {
    for (let c = from; c >= 0 && c < lines.length; c += by) if (lines[c] !== undefined) return lines[c];
    return undefined;
  };
  const by = layers.map((_, c) => {
    const [before, after] = [known(c, -1), known(c, 1)];
    return ((before ?? after ?? 0) + (after ?? before ?? 0)) / 2;
  });
  const moved = turned.map((b) => ({ ...b, y: b.y - (by[column.get(b.id) ?? 0] ?? 0) }));
  return direction === "right" ? moved : moved.map(turn);
}

const turn = ({ id, x, y, width, height }: Box): Box => ({ id, x: y, y: x, width: height, height: width });
