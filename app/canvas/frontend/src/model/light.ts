/**
 * Light on the wires: how strong each is, from the numbers of a forward and a backward pass, and when the
 * light comes where.
 */

import type { Magnitudes } from "../protocol";
import type { Edge } from "./drawing";
import { edgeId } from "./graph";
import { firstRuns, short, type StepEvent, withoutTurns } from "./sample";

export type Way = "forward" | "backward";

/**
 * The scale is logarithmic, over so many powers of ten below the largest. Values of a network that is well lie
 * within one or two of each other. Gradients by values of a large map are smaller, as the map has more of them: in
 * LeNet those of conv1 are forty times smaller than those of the logits.
 */
export const DECADES: Readonly<Record<Way, number>> = { forward: 2, backward: 3 };
/** Whole numbers (tokens, labels) name things: the wire that carries them has light, of no size. */
const NO_SIZE = 0.5;
/** What is so many times the middle one is no measure for the others: the -1e9 of a mask. */
const BEYOND = 1e4;
/** A pass takes so long, forward and back about 2 s in all; in a network of few layers no more than this for each. */
const PASS_MS = 950,
  LAYER_MS = 170;
/** Between forward and back, while the loss is there. */
const TURN_MS = 120;
/**
 * Drawings of more blocks have no light. React Flow then holds only the wires in view, and from afar none at all
 * (useTiny); and of so many layers each would have less than 7 ms.
 */
export const MOST_LIT = 150;

/** How strong the light of a wire is, from 0 (a thread) to 1; undefined where the pass does not come. */
export interface Strength {
  forward?: number;
  backward?: number;
}

/** From a hundredth (a thousandth back) of the largest or less, 0, to the largest, 1. */
export function strengths(values: ReadonlyMap<string, number | null>, way: Way): Map<string, number> {
  const known = [...values.values()].filter((v): v is number => v !== null && v > 0).sort((a, b) => a - b);
  const middle = known[known.length >> 1] ?? 1;
  const most = known.findLast((v) => v <= BEYOND * middle) ?? 1;
  const of = (value: number) => (value > 0 ? Math.min(1, Math.max(0, 1 + Math.log10(value / most) / DECADES[way])) : 0);
  return new Map([...values].map(([id, value]) => [id, value === null ? NO_SIZE : of(value)]));
}

/** What the wires of a drawing carry, by wire; path: of what is open, with its dot. */
export function carried(
  edges: readonly Edge[],
  path: string,
  measured: Magnitudes,
  way: Way,
): Map<string, number | null> {
  const found = new Map<string, number | null>();
  for (const edge of edges) {
    const value = measured[way][path + edge.source]?.[edge.sourcePort];
    if (value !== undefined) found.set(edgeId(edge), value);
  }
  return found;
}

/** The numbers of each wire in words, for who points at it. */
export function wordsOf(edges: readonly Edge[], path: string, measured: Magnitudes): Map<string, string> {
  const found = new Map<string, string>();
  for (const [way, name] of [
    ["forward", "mean |value|"],
    ["backward", "mean |gradient|"],
  ] as const) {
    for (const [id, value] of carried(edges, path, measured, way)) {
      if (value === null) continue;
      const words = `${name} ${short(value)}`;
      found.set(id, found.has(id) ? `${found.get(id)}, ${words}` : words);
    }
  }
  return found;
}

/** Both strengths of each wire that has any. */
export function lightOf(edges: readonly Edge[], path: string, measured: Magnitudes): Map<string, Strength> {
  const found = new Map<string, Strength>();
  for (const way of ["forward", "backward"] as const) {
    for (const [id, strength] of strengths(carried(edges, path, measured, way), way))
      found.set(id, { ...found.get(id), [way]: strength });
  }
  return found;
}

/** What is left of it where a step stands: forward from blocks that have run, back where the gradient is. */
export function litSoFar(
  edges: readonly Edge[],
  light: ReadonlyMap<string, Strength>,
  reached: (block: string, way: Way) => boolean,
): Map<string, Strength> {
  const found = new Map<string, Strength>();
  for (const edge of edges) {
    const { forward, backward } = light.get(edgeId(edge)) ?? {};
    const now: Strength = {
      ...(forward !== undefined && reached(edge.source, "forward") && reached(edge.target, "forward") && { forward }),
      ...(backward !== undefined && reached(edge.source, "backward") && { backward }),
    };
    if (now.forward !== undefined || now.backward !== undefined) found.set(edgeId(edge), now);
  }
  return found;
}

/** A wire that the light runs along, and when, in milliseconds. */
export interface Run {
  wire: string;
  way: Way;
  from: number;
  to: number;
}

/** A block that lights up, when, and how much. */
export interface Glow {
  block: string;
  way: Way;
  at: number;
  strength: number;
}

export interface Flight {
  runs: readonly Run[];
  glows: readonly Glow[];
  /** When the last light has come. */
  ms: number;
}

type Ends = Pick<Edge, "source" | "target">;
const start = (edge: Ends, way: Way): string => (way === "forward" ? edge.source : edge.target);
const end = (edge: Ends, way: Way): string => (way === "forward" ? edge.target : edge.source);

/** The layer of each block: 0 where the light starts, else one after the last that leads to it. */
export function layersOf(edges: readonly Ends[], way: Way): Map<string, number> {
  const waits = new Map<string, number>(),
    layers = new Map<string, number>();
  for (const edge of edges) waits.set(end(edge, way), (waits.get(end(edge, way)) ?? 0) + 1);
  const ready = [...new Set(edges.map((edge) => start(edge, way)))].filter((id) => !waits.has(id));
  for (const id of ready) layers.set(id, 0);
  for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
    for (const edge of edges) {
      if (start(edge, way) !== id) continue;
      const next = end(edge, way),
        left = (waits.get(next) ?? 0) - 1;
      waits.set(next, left);
      layers.set(next, Math.max(layers.get(next) ?? 0, (layers.get(id) ?? 0) + 1));
      if (!left) ready.push(next);
    }
  }
  return layers;
}

/** Light along the wires to the blocks that have a turn, from those before; begins at `from` ms. */
export function flight(
  edges: readonly Edge[],
  light: ReadonlyMap<string, Strength>,
  turns: ReadonlyMap<string, number>,
  way: Way,
  from = 0,
): Flight {
  const lit = edges.filter((edge) => light.get(edgeId(edge))?.[way] !== undefined);
  const last = Math.max(1, ...turns.values());
  const each = Math.min(LAYER_MS, PASS_MS / last);
  const runs = lit.flatMap((edge): Run[] => {
    const to = turns.get(end(edge, way));
    if (to === undefined || to <= 0) return [];
    const begun = turns.get(start(edge, way)) ?? to - 1;
    return [{ wire: edgeId(edge), way, from: from + each * begun, to: from + each * to }];
  });
  const brightest = brightestOf(lit, light, way);
  const glows = [...turns].map(
    ([block, turn]): Glow => ({ block, way, at: from + each * turn, strength: brightest.get(block) ?? 0 }),
  );
  return { runs, glows, ms: from + each * last };
}

/** The light of a block is that of its output; of one without, of what comes to it. */
function brightestOf(edges: readonly Edge[], light: ReadonlyMap<string, Strength>, way: Way): Map<string, number> {
  const found = new Map<string, number>();
  const note = (id: string, strength: number) => found.set(id, Math.max(found.get(id) ?? 0, strength));
  for (const edge of edges) note(edge.source, light.get(edgeId(edge))?.[way] ?? 0);
  const makers = new Set(found.keys());
  for (const edge of edges) if (!makers.has(edge.target)) note(edge.target, light.get(edgeId(edge))?.[way] ?? 0);
  return found;
}

/** A whole pass: forward, and back where there are gradients. */
export function wholePass(edges: readonly Edge[], light: ReadonlyMap<string, Strength>): Flight {
  const along = (way: Way) => edges.filter((edge) => light.get(edgeId(edge))?.[way] !== undefined);
  const there = flight(edges, light, layersOf(along("forward"), "forward"), "forward");
  const way = along("backward");
  if (!way.length) return there;
  const back = flight(edges, light, layersOf(way, "backward"), "backward", there.ms + TURN_MS);
  return { runs: [...there.runs, ...back.runs], glows: [...there.glows, ...back.glows], ms: back.ms };
}

/** When the gradient has first come to each block. */
export const firstBack = (events: readonly StepEvent[]): ReadonlyMap<string, number> => firstRuns(events, "backward");

/** Whether a pass has come to a block where a step stands; forward, what no event tells of is always there. */
export function hasCome(
  first: ReadonlyMap<string, number>,
  back: ReadonlyMap<string, number>,
  at: number,
  path: string,
  way: Way,
): boolean {
  const came = (way === "forward" ? first : back).get(withoutTurns(path));
  return came === undefined ? way === "forward" : came <= at;
}

/** The blocks that a step came to on its way from one event to a later one, in their order, from 1 on. */
export function turnsOf(
  blocks: readonly string[],
  path: string,
  came: ReadonlyMap<string, number>,
  from: number,
  to: number,
): Map<string, number> {
  const when = (id: string) => came.get(withoutTurns(path + id)) ?? -1;
  const passed = blocks.filter((id) => when(id) > from && when(id) <= to).sort((a, b) => when(a) - when(b));
  return new Map(passed.map((id, i) => [id, i + 1]));
}
