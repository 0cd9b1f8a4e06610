/** The drawings of a file, scored, for `python -m tests.bench.drawings`; without one there is nothing to do. */

// @ts-expect-error: the front end has no types of Node
import { readFileSync, writeFileSync } from "node:fs";
import dagre from "@dagrejs/dagre";
import { expect, test } from "vitest";
import { cardSize } from "../src/model/cardSize";
import { Catalogue } from "../src/model/catalogue";
import type { Graph } from "../src/model/drawing";
import type { Direction } from "../src/model/geometry";
import { fromWire } from "../src/model/graph";
import { tidy } from "../src/model/layout";
import { Ports } from "../src/model/ports";
import { coursesOf } from "../src/model/wireRouting";
import type { Layout } from "../src/protocol";
import { score, wiresDrawn } from "./drawingScore";

declare const process: { env: Record<string, string | undefined>; cpuUsage(): { user: number; system: number } };

const file = process.env.LAYERLOOM_DRAWINGS;
const MINUTES = 30;

/** As dagre lays it out by itself, each wire a curve. */
function plain(graph: Graph, catalogue: Catalogue, direction: Direction): Layout {
  const ports = new Ports(catalogue, graph),
    plan = new dagre.graphlib.Graph({ multigraph: true });
  plan.setGraph(
    direction === "down" ? { rankdir: "TB", nodesep: 56, ranksep: 56 } : { rankdir: "LR", nodesep: 44, ranksep: 120 },
  );
  plan.setDefaultEdgeLabel(() => ({}));
  for (const id of Object.keys(graph.nodes)) plan.setNode(id, { ...cardSize(ports, id, direction) });
  graph.edges.forEach((e, i) => plan.setEdge(e.source, e.target, {}, String(i)));
  dagre.layout(plan);
  return Object.fromEntries(
    Object.keys(graph.nodes).map((id): [string, [number, number]] => {
      const { x, y, width, height } = plan.node(id) as { x: number; y: number; width: number; height: number };
      return [id, [x - width / 2, y - height / 2]];
    }),
  );
}

function timed<T>(work: () => T): [T, number] {
  const before = process.cpuUsage().user;
  const made = work();
  return [made, (process.cpuUsage().user - before) / 1000];
}

test.skipIf(!file)(
  "the drawings of a file",
  () => {
    const { catalogue: json, graphs } = JSON.parse(readFileSync(file, "utf-8"));
    const catalogue = new Catalogue(json),
      rows: object[] = [];
    for (const [name, each] of Object.entries<Parameters<typeof fromWire>[0]>(graphs)) {
      for (const direction of ["right", "down"] as const) {
        const graph = fromWire(each, catalogue);
        const [layout, tidyMs] = timed(() => tidy({ graph, layout: {} }, direction, catalogue));
        const [, routeMs] = timed(() =>
          coursesOf({ graph, layout, notes: [] }, new Ports(catalogue, graph), direction),
        );
        const row = { name, direction, blocks: Object.keys(graph.nodes).length, tidyMs, routeMs };
        if (name.startsWith("large ")) {
          rows.push({ ...row, way: "new" });
          continue;
        }
        rows.push({ ...row, way: "new", ...score({ graph, layout }, catalogue, direction) });
        const bare = { graph, layout: plain(graph, catalogue, direction) };
        const wires = wiresDrawn(bare, catalogue, direction, false);
        rows.push({ name, direction, way: "dagre", ...score(bare, catalogue, direction, wires) });
      }
    }
    writeFileSync(`${file}.scores`, JSON.stringify(rows));
    expect(rows.length).toBeGreaterThan(0);
  },
  MINUTES * 60_000,
);
