/** The wires that close the gap when blocks are taken out of a chain. */

import type { Drawing, Edge } from "./drawing";
import { removeNodes } from "./edits";
import { connectProblem, edgeId } from "./graph";
import { Ports } from "./ports";
import type { Catalogue } from "./catalogue";
import type { Signature } from "../protocol";

/** What the analysis knows of an output; undefined where it knows nothing. */
export type SignatureOf = (source: string, port: string) => Signature | undefined;

/**
 * The drawing without these blocks. Where one value goes into some of them and one comes out, what
 * read the one that came out reads the one that went in, if every port can take it.
 */
export function removeAndJoin(
  drawing: Drawing,
  ids: readonly string[],
  catalogue: Catalogue,
  known: SignatureOf,
): { drawing: Drawing; joined: Edge[] } {
  const gone = new Set(ids);
  const swaps = new Map<string, Edge>();
  for (const part of connectedParts(drawing.graph.edges, gone)) {
    for (const [old, edge] of bridges(drawing, part, catalogue, known)) swaps.set(old, edge);
  }
  const edges = drawing.graph.edges.map((e) => swaps.get(edgeId(e)) ?? e);
  const graph = swaps.size ? { ...drawing.graph, edges } : drawing.graph;
  return { drawing: removeNodes({ ...drawing, graph }, ids), joined: [...swaps.values()] };
}

/** The blocks that go, in groups that wires hold together. */
function connectedParts(edges: readonly Edge[], gone: ReadonlySet<string>): Set<string>[] {
  const parts: Set<string>[] = [];
  const within = edges.filter((e) => gone.has(e.source) && gone.has(e.target));
  for (const id of gone) {
    if (parts.some((part) => part.has(id))) continue;
    const part = new Set([id]);
    for (let before = 0; before !== part.size; ) {
      before = part.size;
      for (const { source, target } of within) if (part.has(source) || part.has(target)) part.add(source).add(target);
    }
    parts.push(part);
  }
  return parts;
}

const outputOf = ({ source, sourcePort }: Edge) => `${source}.${sourcePort}`;

/** The wires that leave a group, by their ids, each as it goes past the group; none if they do not fit. */
function bridges(
  { graph }: Drawing,
  part: ReadonlySet<string>,
  catalogue: Catalogue,
  known: SignatureOf,
): [string, Edge][] {
  const into = graph.edges.filter((e) => part.has(e.target) && !part.has(e.source));
  const from = graph.edges.filter((e) => part.has(e.source) && !part.has(e.target));
  const [first] = into;
  if (!first || new Set(into.map(outputOf)).size > 1 || new Set(from.map(outputOf)).size > 1) return [];
  const ports = new Ports(catalogue, graph);
  const { source, sourcePort } = first;
  const wires = from.map((e): [string, Edge] => [edgeId(e), { ...e, source, sourcePort }]);
  return wires.some(([, e]) => connectProblem(graph, e, ports, known(source, sourcePort))) ? [] : wires;
}
