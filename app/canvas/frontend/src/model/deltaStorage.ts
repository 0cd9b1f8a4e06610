/**
 * Many drawings as a chain of small differences, for a storage with little room: what drawings share
 * is written once, and each step says only which of its parts it has otherwise than its neighbour.
 */

import type { CompositeJson, Json, NodeJson, Note } from "../protocol";
import type { Drawing, Edge, Graph } from "./drawing";

/** Nodes, wires, places, and all else of a drawing: indices of pieces, in the drawing's order. */
type Lists = readonly number[][];
/** For each list: so many pieces stay, so many after them go, and these come in their place. */
type Patch = readonly (readonly number[])[];

export interface PackedHistory {
  pieces: Json[];
  now: Lists;
  /** From now on backwards, and forwards. */
  past: Patch[];
  future: Patch[];
}

/** The history around a drawing; the last of `past` and the last of `future` are the next to it. */
export interface Trail {
  past: readonly Drawing[];
  now: Drawing;
  future: readonly Drawing[];
}

/** Each piece once, with the letters that all of them take. Pieces are never changed. */
class Pieces {
  readonly list: Json[] = [];
  letters = 0;
  private readonly byText = new Map<string, number>();
  private readonly byObject = new WeakMap<object, Map<string, number>>();

  /** The index of a piece made of `id` and a part of a drawing. */
  of(part: object, id: string, make: () => Json): number {
    let known = this.byObject.get(part);
    if (!known) this.byObject.set(part, (known = new Map()));
    let index = known.get(id);
    if (index === undefined) known.set(id, (index = this.add(make())));
    return index;
  }

  private add(piece: Json): number {
    const text = JSON.stringify(piece);
    const known = this.byText.get(text);
    if (known !== undefined) return known;
    this.byText.set(text, this.list.length);
    this.letters += text.length + 1;
    return this.list.push(piece) - 1;
  }
}

const json = (value: unknown) => value as Json;

function encode({ graph, layout, notes }: Drawing, pieces: Pieces): Lists {
  const { nodes, edges, composites, ...others } = graph;
  const more = { ...others, ...(composites ? { composites: {} } : {}) };
  const whole = (kind: string, value: object) => pieces.of(value, kind, () => [kind, json(value)]);
  return [
    Object.entries(nodes).map(([id, n]) => pieces.of(n, id, () => [id, json(n)])),
    edges.map((e) => pieces.of(e, "", () => [e.source, e.sourcePort, e.target, e.targetPort])),
    Object.entries(layout).map(([id, at]) => pieces.of(at, id, () => [id, ...at])),
    [
      ...Object.entries(composites ?? {}).map(([name, c]) => pieces.of(c, name, () => ["composite", name, json(c)])),
      ...notes.map((note) => whole("note", note)),
      whole("more", more),
    ],
  ];
}

function decode(lists: Lists, pieces: readonly Json[]): Drawing {
  const [nodes = [], edges = [], places = [], rest = []] = lists.map((list) => list.map((i) => pieces[i] as Json[]));
  const of = (kind: string) => rest.filter(([k]) => k === kind);
  const composites = of("composite").map(
    ([, name, part]) => [name as string, part as unknown as CompositeJson] as const,
  );
  const graph: Graph = {
    ...(of("more")[0]?.[1] as object),
    nodes: Object.fromEntries(nodes.map(([id, n]) => [id as string, n as NodeJson])),
    edges: edges.map(
      ([source, sourcePort, target, targetPort]) => ({ source, sourcePort, target, targetPort }) as Edge,
    ),
    ...(composites.length ? { composites: Object.fromEntries(composites) } : {}),
  };
  const layout = Object.fromEntries(places.map(([id, x, y]) => [id as string, [x, y] as [number, number]]));
  return { graph, layout, notes: of("note").map(([, note]) => note as unknown as Note) };
}

function difference(from: readonly number[], to: readonly number[]): number[] {
  const most = Math.min(from.length, to.length);
  let head = 0,
    tail = 0;
  while (head < most && from[head] === to[head]) head++;
  while (tail < most - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
  return [head, from.length - head - tail, ...to.slice(head, to.length - tail)];
}

function applyPatch(from: Lists, patch: Patch): Lists {
  return from.map((list, i) => {
    const [head = 0, gone = 0, ...come] = patch[i] ?? [];
    return [...list.slice(0, head), ...come, ...list.slice(head + gone)];
  });
}

/** Pack a history in at most `room` letters: the steps next to now, as many back as forth. */
export function pack({ past, now, future }: Trail, room: number): PackedHistory {
  const pieces = new Pieces();
  const first = encode(now, pieces);
  const ways = [past, future].map((drawings): Way => ({ left: [...drawings], at: first, patches: [] }));
  let spent = JSON.stringify(first).length + pieces.letters;
  for (let open = ways; open.length; open = open.filter((way) => way.left.length)) {
    for (const way of open) spent += grow(way, pieces, room - spent);
  }
  const [back = [], forth = []] = ways.map((way) => way.patches);
  const used = new Set([...first, ...[...back, ...forth].flat().map((list) => list.slice(2))].flat());
  return { pieces: pieces.list.map((piece, i) => (used.has(i) ? piece : null)), now: first, past: back, future: forth };
}

interface Way {
  left: Drawing[];
  at: Lists;
  patches: Patch[];
}

/** Take one more step of a way; one that does not fit ends it. Returns the letters it takes. */
function grow(way: Way, pieces: Pieces, room: number): number {
  const next = way.left.pop(),
    before = pieces.letters;
  if (!next) return 0;
  const lists = encode(next, pieces);
  const patch = way.at.map((list, i) => difference(list, lists[i] ?? []));
  const letters = JSON.stringify(patch).length + 1 + pieces.letters - before;
  if (letters > room) {
    way.left.length = 0;
    pieces.letters = before;
    return 0;
  }
  way.patches.push(patch);
  way.at = lists;
  return letters;
}

/** The history that was packed. */
export function unpack({ pieces, now, past, future }: PackedHistory): Trail {
  const walk = (patches: readonly Patch[]) => {
    let at = now;
    return patches.map((patch) => decode((at = applyPatch(at, patch)), pieces)).reverse();
  };
  return { past: walk(past), now: decode(now, pieces), future: walk(future) };
}
