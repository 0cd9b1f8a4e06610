/** Search in a drawing: blocks by id, label, block, settings, and what is wrong with them. */

import type { NodeJson } from "../protocol";
import type { Problem } from "../store/annotations";
import { digest } from "./catalogue";
import type { Catalogue } from "./catalogue";
import type { Graph } from "./graph";
import { blockOf } from "./ports";
import { compositesOf } from "./scope";
import { showValue } from "./values";

export interface Found {
  /** Path from the top: "stage1.conv1". */
  path: string;
  block: string;
  about: string;
  level: "" | "error" | "warning";
}

const MOST = 60;
const LARGEST = 5000;

/** All blocks, those inside a composite behind their use, and their problems. */
function* walk(graph: Graph): Generator<[path: string, node: NodeJson, block: string]> {
  const composites = compositesOf(graph);
  const work: [string, Record<string, NodeJson>][] = [["", graph.nodes]];
  let count = 0;
  for (let next = work.pop(); next; next = work.pop()) {
    const [prefix, nodes] = next;
    for (const [id, node] of Object.entries(nodes)) {
      if (++count > LARGEST) return;
      const block = blockOf(node, nodes);
      yield [prefix + id, node, block];
      const part = Object.hasOwn(composites, block) ? composites[block] : undefined;
      if (part) work.push([`${prefix}${id}.`, part.nodes]);
    }
  }
}

const bare = (path: string) => path.split(".").filter((p) => !/^\d+$/.test(p)).join(".");

/** Blocks that answer all words of a query, best first. */
export function find(graph: Graph, all: readonly Problem[], catalogue: Catalogue, query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const wrong = new Map<string, Problem>();
  for (const p of all) if (!wrong.has(bare(p.node))) wrong.set(bare(p.node), p);
  const found: [Found, number][] = [];
  for (const [path, node, block] of walk(graph)) {
    const problem = wrong.get(path);
    const points = words.reduce((sum, word) => sum * worth(word, path, node, block, problem), 1);
    if (!points) continue;
    const about = problem ? problem.message : [node.label, digest(node, catalogue.block(block))].filter(Boolean).join(" · ");
    found.push([{ path, block, about, level: problem?.level ?? "" }, points]);
  }
  return found.sort((a, b) => b[1] - a[1]).slice(0, MOST).map(([f]) => f);
}

function worth(word: string, path: string, node: NodeJson, block: string, problem?: Problem): number {
  const id = (path.split(".").at(-1) ?? "").toLowerCase();
  if (id === word) return 9;
  if (id.startsWith(word)) return 7;
  if (path.toLowerCase().includes(word)) return 5;
  if (block.toLowerCase().includes(word) || node.label?.toLowerCase().includes(word)) return 4;
  const settings = Object.entries(node.settings ?? {}).flatMap(([k, v]) => [k, showValue(v), `${k}=${showValue(v)}`]);
  if (settings.some((text) => text.toLowerCase() === word || text.toLowerCase().startsWith(word))) return 3;
  if (problem && `${problem.level} ${problem.code} ${problem.message}`.toLowerCase().includes(word)) return 2;
  return 0;
}
