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

const NUMBER = /^\d+$/;
/** Last parts of keys of a state_dict that name a tensor of a layer, no block. */
const TENSOR = /^(weight|bias|running_mean|running_var|num_batches_tracked|(weight|bias|in_proj)_\w+)$/;

/**
 * Whether a key of a state_dict leads to a path: the same ids, a number for a repetition or for the
 * block of a chain whose id ends in it (block_1), and perhaps a tensor of the layer at the end.
 */
export function isKeyOf(key: string, path: string): boolean {
  const parts = key.split("."),
    ids = path.split(".");
  let next = 0;
  for (const [i, id] of ids.entries()) {
    const is = (part: string | undefined) =>
      part !== undefined && (part === id || (NUMBER.test(part) && id.endsWith(`_${part}`)));
    if (i > 0 && !is(parts[next]) && NUMBER.test(parts[next] ?? "")) next += 1;
    const begun =
      i === ids.length - 1 && next === parts.length - 1 && parts[next] !== "" && id.startsWith(parts[next] as string);
    if (!is(parts[next]) && !begun) return false;
    next += 1;
  }
  if (NUMBER.test(parts[next] ?? "")) next += 1;
  return next === parts.length || (next === parts.length - 1 && TENSOR.test(parts[next] as string));
}

const bare = (path: string) =>
  path
    .split(".")
    .filter((p) => !/^\d+$/.test(p))
    .join(".");

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
  drawing: Pick<Drawing, "graph" | "notes">,
  all: readonly Problem[],
  catalogue: Catalogue,
  query: string,
): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const wrong = new Map<string, Problem>();
  for (const p of all) if (!wrong.has(bare(p.node))) wrong.set(bare(p.node), p);
  const scored: [Found, number][] = [];
  for (const [path, node, block] of walk(drawing.graph)) {
    const problem = wrong.get(path);
    const points = words.reduce((sum, word) => sum * worth(word, path, node, block, problem), 1);
    if (!points) continue;
    const about = problem
      ? problem.message
      : [node.label, digest(node, catalogue.block(block))].filter(Boolean).join(" · ");
    scored.push([{ path, name: path, block, about, level: problem?.level ?? "" }, points]);
  }
  for (const [prefix, note] of words.length ? allNotes(drawing) : []) {
    const text = `note ${note.text}`.toLowerCase();
    if (words.every((word) => text.includes(word))) scored.push([noteFound(prefix, note), WORDS]);
  }
  return scored
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST)
    .map(([f]) => f);
}

function worth(word: string, path: string, node: NodeJson, block: string, problem?: Problem): number {
  const id = (path.split(".").at(-1) ?? "").toLowerCase();
  if (id === word) return 9;
  if (word.includes(".") && isKeyOf(word, path.toLowerCase())) return 8;
  if (id.startsWith(word)) return 7;
  if (path.toLowerCase().includes(word)) return 5;
  if (block.toLowerCase().includes(word) || node.label?.toLowerCase().includes(word)) return 4;
  const settings = Object.entries(node.settings ?? {}).flatMap(([k, v]) => [k, showValue(v), `${k}=${showValue(v)}`]);
  if (settings.some((text) => text.toLowerCase() === word || text.toLowerCase().startsWith(word))) return 3;
  if (problem && `${problem.level} ${problem.code} ${problem.message}`.toLowerCase().includes(word)) return 2;
  return 0;
}
