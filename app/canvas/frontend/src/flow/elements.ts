/** The drawing as React Flow wants it; unchanged nodes and wires keep their objects. */

import { type Edge as FlowEdge, type Node as FlowNode, Position } from "@xyflow/react";
import type { Drawing, Edge } from "../model/drawing";
import { type Direction, portPlace } from "../model/geometry";
import { edgeId, isUnused } from "../model/graph";
import { cardSize } from "../model/cardSize";
import { noteSize } from "../model/notes";
import type { Ports } from "../model/ports";
import type { Note, PortSpec } from "../protocol";

export type BlockData = { direction: Direction };
export type BlockFlow = FlowNode<BlockData, "block">;
export type NoteFlow = FlowNode<Record<string, never>, "note">;
export type AnyFlow = BlockFlow | NoteFlow;
export type WireData = { edge: Edge };
export type WireFlow = FlowEdge<WireData, "wire">;
/** Where things stand while they are dragged; a note that is being resized has its size too. */
export type Places = Readonly<Record<string, { x: number; y: number; width?: number; height?: number }>>;

const DOT = 12;
const DATA: Record<Direction, BlockData> = { down: { direction: "down" }, right: { direction: "right" } };

function handles(ports: Ports, id: string, direction: Direction): BlockFlow["handles"] {
  const size = cardSize(ports, id, direction);
  const ends = direction === "down" ? [Position.Top, Position.Bottom] : [Position.Left, Position.Right];
  const make = (side: "in" | "out", mine: readonly PortSpec[]) =>
    mine.map(({ name }, i) => {
      const [x, y] = portPlace(side, i, mine, size, direction);
      return {
        id: name,
        type: side === "in" ? ("target" as const) : ("source" as const),
        position: ends[side === "in" ? 0 : 1] as Position,
        x: x - DOT / 2,
        y: y - DOT / 2,
        width: DOT,
        height: DOT,
      };
    });
  return [...make("in", ports.drawn(id)), ...make("out", ports.given(id))];
}

interface Made {
  drawing: Drawing;
  ports: Ports;
  direction: Direction;
  chosen: ReadonlySet<string>;
  moved: Places;
}

/** Builds the nodes; remembers the last ones, to hand out the same object where nothing changed. */
export class FlowNodes {
  private known = new Map<string, { key: string; node: BlockFlow; index: number }>();
  private nodes: BlockFlow[] = [];
  private last: Made | undefined;

  build(drawing: Drawing, ports: Ports, direction: Direction, chosen: ReadonlySet<string>, moved: Places): BlockFlow[] {
    const now = { drawing, ports, direction, chosen, moved },
      { last } = this;
    this.last = now;
    const dragged =
      last?.drawing === drawing && last.ports === ports && last.direction === direction && last.chosen === chosen;
    if (dragged) return this.move(now, last.moved);
    const next: typeof this.known = new Map();
    const nodes = Object.keys(drawing.graph.nodes).map((id, index) => {
      const found = this.one(id, now);
      next.set(id, { ...found, index });
      return found.node;
    });
    this.known = next;
    const same = nodes.length === this.nodes.length && nodes.every((node, i) => node === this.nodes[i]);
    return same ? this.nodes : (this.nodes = nodes);
  }

  /** A frame of a drag: only what moves, or moved in the last frame, is looked at. */
  private move(now: Made, before: Places): BlockFlow[] {
    const nodes = this.nodes.slice();
    for (const id of new Set([...Object.keys(before), ...Object.keys(now.moved)])) {
      const known = this.known.get(id);
      if (!known) continue;
      const found = this.one(id, now);
      this.known.set(id, { ...found, index: known.index });
      nodes[known.index] = found.node;
    }
    return (this.nodes = nodes);
  }

  private one(id: string, { drawing, ports, direction, chosen, moved }: Made): { key: string; node: BlockFlow } {
    const [x, y] = drawing.layout[id] ?? [0, 0];
    const position = moved[id] ?? { x, y };
    const names = `${ports.drawn(id).map((p) => p.name)}|${ports.given(id).map((p) => p.name)}`;
    const block = drawing.graph.nodes[id]?.block ?? "shared weights";
    const called = `${id}, ${block}${isUnused(drawing.graph, id) ? ", not used by forward" : ""}`;
    const key = `${position.x},${position.y},${direction},${chosen.has(id)},${id in moved},${called},${names}`;
    const before = this.known.get(id);
    if (before?.key === key) return before;
    const size = cardSize(ports, id, direction);
    const node: BlockFlow = {
      id,
      type: "block",
      position,
      data: DATA[direction],
      selected: chosen.has(id),
      ...size,
      dragging: id in moved,
      measured: size,
      handles: handles(ports, id, direction),
      ariaLabel: called,
    };
    return { key, node };
  }
}

const PLAIN: Record<string, never> = {};
const HEARD = 80;

/** Builds the notes; one that is pinned is a child of its block, and so moves with it. */
export class FlowNotes {
  private last = new Map<string, { note: Note; selected: boolean; moved: unknown; node: NoteFlow }>();

  build({ notes }: Drawing, chosen: ReadonlySet<string>, moved: Places): NoteFlow[] {
    const next = new Map<string, { note: Note; selected: boolean; moved: unknown; node: NoteFlow }>();
    for (const note of notes) {
      const before = this.last.get(note.id),
        selected = chosen.has(note.id),
        at = moved[note.id];
      const same = before?.note === note && before.selected === selected && before.moved === at;
      next.set(note.id, same ? before : { note, selected, moved: at, node: noteNode(note, selected, at) });
    }
    this.last = next;
    return [...next.values()].map(({ node }) => node);
  }
}

function noteNode(note: Note, selected: boolean, moved: Places[string] | undefined): NoteFlow {
  const [x, y] = note.at;
  const { x: left = x, y: top = y, ...resized } = moved ?? {};
  const size = { ...noteSize(note), ...resized };
  const text = note.text.length > HEARD ? `${note.text.slice(0, HEARD)}…` : note.text;
  return {
    id: note.id,
    type: "note",
    position: { x: left, y: top },
    data: PLAIN,
    selected,
    ...size,
    measured: size,
    dragging: moved !== undefined,
    ...(note.node ? { parentId: note.node } : {}),
    ariaLabel: `${note.node ? `Note on ${note.node}` : "Note"}: ${text || "empty"}`,
  };
}

export class FlowEdges {
  private last = new Map<string, WireFlow>();
  private from: readonly [readonly Edge[], ReadonlySet<string>] | undefined;
  private wires: WireFlow[] = [];

  build(edges: readonly Edge[], chosen: ReadonlySet<string>): WireFlow[] {
    if (this.from?.[0] === edges && this.from[1] === chosen) return this.wires;
    this.from = [edges, chosen];
    const next = new Map<string, WireFlow>();
    for (const edge of edges) {
      const id = edgeId(edge);
      const before = this.last.get(id);
      const selected = chosen.has(id);
      next.set(id, before && before.selected === selected ? before : make(id, edge, selected));
    }
    this.last = next;
    return (this.wires = [...next.values()]);
  }
}

function make(id: string, edge: Edge, selected: boolean): WireFlow {
  return {
    id,
    type: "wire",
    source: edge.source,
    target: edge.target,
    sourceHandle: edge.sourcePort,
    targetHandle: edge.targetPort,
    selected,
    data: { edge },
    ariaLabel: `Wire from ${edge.source} to ${edge.target} ${edge.targetPort}`,
  };
}

/** A React Flow connection as one of our wires. */
export function asEdge(c: {
  source: string | null;
  target: string | null;
  sourceHandle?: string | null;
  targetHandle?: string | null;
}): Edge {
  return {
    source: c.source ?? "",
    sourcePort: c.sourceHandle ?? "",
    target: c.target ?? "",
    targetPort: c.targetHandle ?? "",
  };
}
