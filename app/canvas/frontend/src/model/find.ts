/** Search in a drawing: blocks by id, label, block, settings, and what is wrong with them; notes by their words. */

import type { NodeJson, Note, Problem } from "../protocol";
import { digest } from "./catalogue";
import type { Catalogue } from "./catalogue";
import type { Drawing, Graph } from "./drawing";
import { blockOf } from "./ports";
import { compositesOf } from "./scope";
import { showValue } from "./values";

export interface Found {
  /** Path from the top: "stage1.conv1"; a note has an id there too. */
  path: string;
  /** What it is called in a list: the path, or a note's first words. */
  name: string;
  /** "" for a note. */
  block: string;
  about: string;
  level: "" | "error" | "warning";
}

const MOST = 60;
/** What a note is worth that has the word: as much as a label. */
const WORDS = 4;
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

/** Notes, those inside a composite at each of its uses. */
function* allNotes({ graph, notes }: Pick<Drawing, "graph" | "notes">): Generator<[prefix: string, note: Note]> {
  for (const note of notes) yield ["", note];
  const composites = compositesOf(graph);
  if (!Object.values(composites).some((part) => part.notes?.length)) return;
  for (const [path, , block] of walk(graph)) {
    for (const note of (Object.hasOwn(composites, block) && composites[block]?.notes) || []) yield [`${path}.`, note];
  }
}

const FIRST = 60;

function noteFound(prefix: string, note: Note): Found {
  const name = note.text.length > FIRST ? `${note.text.slice(0, FIRST)}…` : note.text;
  return { path: prefix + note.id, name, block: "", about: note.node ? `on ${prefix}${note.node}` : "", level: "" };
}

/** Blocks and notes that answer all words of a query, best first. */
export function find(
  drawing: Pick<Drawing, "graph" | "notes">, all: readonly Problem[], catalogue: Catalogue, query: string,
): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const wrong = new Map<string, Problem>();
  for (const p of all) if (!wrong.has(bare(p.node))) wrong.set(bare(p.node), p);
  const scored: [Found, number][] = [];
  for (const [path, node, block] of walk(drawing.graph)) {
    const problem = wrong.get(path);
    const points = words.reduce((sum, word) => sum * worth(word, path, node, block, problem), 1);
    if (!points) continue;
    const about = problem ? problem.message : [node.label, digest(node, catalogue.block(block))].filter(Boolean).join(" · ");
    scored.push([{ path, name: path, block, about, level: problem?.level ?? "" }, points]);
  }
  for (const [prefix, note] of words.length ? allNotes(drawing) : []) {
    const text = `note ${note.text}`.toLowerCase();
    if (words.every((word) => text.includes(word))) scored.push([noteFound(prefix, note), WORDS]);
  }
  return scored.sort((a, b) => b[1] - a[1]).slice(0, MOST).map(([f]) => f);
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
