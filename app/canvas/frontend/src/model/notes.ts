/** Notes on the drawing, free or pinned to a block: the twin of app/canvas/notes.py. Text only. */

import type { Json, Layout, NodeJson, Note } from "../protocol";
import type { Box } from "./align";
import type { Drawing, Graph } from "./drawing";
import { GRID, type Size } from "./geometry";

export const NOTE: Size = { width: 192, height: 64 };
export const LEAST: Size = { width: 96, height: 40 };
export const MOST_TEXT = 4000;
export const MOST_NOTES = 500;
const FAR = 1e6;
const KEYS = new Set(["text", "node", "inside", "at", "size"]);

export const isNoteId = (id: string): boolean => id.startsWith("note-");

export function freshNoteId(notes: readonly Note[]): string {
  return `note-${1 + Math.max(0, ...notes.map((n) => Number(n.id.slice(5)) || 0))}`;
}

export function noteSize(note: Note): Size {
  return note.size ? { width: note.size[0], height: note.size[1] } : NOTE;
}

/** Where a note stands on the canvas. */
export function notePlace(note: Note, layout: Readonly<Layout>): [number, number] {
  const [x, y] = (note.node ? layout[note.node] : undefined) ?? [0, 0];
  return [x + note.at[0], y + note.at[1]];
}

/** A note after it was moved to a place on the canvas. */
export function movedNote(note: Note, to: readonly [number, number], layout: Readonly<Layout>): Note {
  const [x, y] = (note.node ? layout[note.node] : undefined) ?? [0, 0];
  return { ...note, at: [to[0] - x, to[1] - y] };
}

const ASIDE = 32;
const TRIES = 6;

/** Where a new note stands beside a block: where it covers nothing, first on the sides without wires. */
export function besideBlock(block: Box, others: readonly Box[], direction: "down" | "right"): [number, number] {
  const { x, y, width, height } = block;
  const above = -NOTE.height - 12,
    right = width + ASIDE,
    left = -NOTE.width - ASIDE,
    below = height + 12;
  const sides: [number, number][] =
    direction === "right"
      ? [
          [0, above],
          [0, below],
          [right, above],
          [left, above],
        ]
      : [
          [right, 0],
          [left, 0],
          [right, above],
          [right, below],
        ];
  for (let far = 0; far < TRIES; far++) {
    for (const [dx, dy] of sides) {
      const at: [number, number] =
        direction === "right"
          ? [dx, dy + Math.sign(dy) * far * (NOTE.height + GRID)]
          : [dx + Math.sign(dx) * far * (NOTE.width + GRID), dy];
      const free = !others.some(
        (b) =>
          x + at[0] < b.x + b.width &&
          b.x < x + at[0] + NOTE.width &&
          y + at[1] < b.y + b.height &&
          b.y < y + at[1] + NOTE.height,
      );
      if (free) return at;
    }
  }
  return sides[0] as [number, number];
}

/** Notes that are left when blocks go. */
export function withoutBlocks(notes: readonly Note[], gone: ReadonlySet<string>): readonly Note[] {
  const kept = notes.filter((n) => !n.node || !gone.has(n.node));
  return kept.length === notes.length ? notes : kept;
}

export function renamedBlock(notes: readonly Note[], from: string, to: string): readonly Note[] {
  return notes.some((n) => n.node === from) ? notes.map((n) => (n.node === from ? { ...n, node: to } : n)) : notes;
}

interface Read {
  notes: Note[];
  inner: Record<string, Note[]>;
  /** What is no note of this version: it is sent back as it came. */
  strange: Json[];
}

/** The notes of a file, for the graph and for each composite. */
export function readNotes(found: readonly Json[], graph: Graph): Read {
  const read: Read = { notes: [], inner: {}, strange: [] };
  for (const item of found) {
    const { inside, ...rest } = isNote(item, graph) ? item : { inside: undefined };
    if (!("text" in rest)) read.strange.push(item);
    else if (inside === undefined) read.notes.push({ ...(rest as Omit<Note, "id">), id: freshNoteId(read.notes) });
    else {
      const list = (read.inner[inside] ??= []);
      list.push({ ...(rest as Omit<Note, "id">), id: freshNoteId(list) });
    }
  }
  return read;
}

type Kept = { text: string; node?: string; inside?: string; at: [number, number]; size?: [number, number] };

function isNote(item: Json, graph: Graph): item is Kept {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return false;
  const { text, node, inside, at, size } = item;
  if (!Object.keys(item).every((key) => KEYS.has(key))) return false;
  if (inside !== undefined && !(typeof inside === "string" && Object.hasOwn(graph.composites ?? {}, inside)))
    return false;
  const nodes: Record<string, NodeJson> =
    (typeof inside === "string" ? graph.composites?.[inside]?.nodes : graph.nodes) ?? {};
  const there = node === undefined || (typeof node === "string" && Object.hasOwn(nodes, node));
  return (
    typeof text === "string" && text.length <= MOST_TEXT && there && isPair(at) && (size === undefined || isPair(size))
  );
}

function isPair(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((v) => typeof v === "number" && Math.abs(v) <= FAR);
}

/** The notes of a whole drawing as the file keeps them: its own, then those inside composites. */
export function writeNotes({ graph, notes }: Drawing, strange: readonly Json[]): Json[] {
  const own = notes.map((n) => plain(n));
  const inner = Object.entries(graph.composites ?? {}).flatMap(([name, part]) =>
    (part.notes ?? []).map((n) => plain(n, name)),
  );
  return [...own, ...inner, ...strange];
}

function plain({ text, node, at, size }: Note, inside?: string): Json {
  return {
    text,
    ...(node ? { node } : {}),
    ...(inside ? { inside } : {}),
    at: [...at],
    ...(size ? { size: [...size] } : {}),
  };
}
