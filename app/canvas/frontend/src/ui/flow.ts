/** The drawing as React Flow wants it; unchanged nodes and wires keep their objects. */

import { type Edge as FlowEdge, type Node as FlowNode, Position } from "@xyflow/react";
import { type Direction, portPlace } from "../model/geometry";
import { type Drawing, type Edge, edgeId } from "../model/graph";
import { cardSize } from "../model/layout";
import type { Ports } from "../model/ports";
import { type Note, noteSize } from "../model/remarks";

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
  const make = (side: "in" | "out", names: string[]) =>
    names.map((name, i) => {
      const [x, y] = portPlace(side, i, names.length, size, direction);
      return {
        id: name, type: side === "in" ? ("target" as const) : ("source" as const),
        position: ends[side === "in" ? 0 : 1] as Position,
        x: x - DOT / 2, y: y - DOT / 2, width: DOT, height: DOT,
      };
    });
  return [
    ...make("in", ports.drawn(id).map((p) => p.name)),
    ...make("out", ports.outputs(id).map((p) => p.name)),
  ];
}

/** Builds the nodes; remembers the last ones, to hand out the same object where nothing changed. */
export class FlowNodes {
  private last = new Map<string, { key: string; node: BlockFlow }>();

  build(
    drawing: Drawing, ports: Ports, direction: Direction, chosen: ReadonlySet<string>, moved: Places,
  ): BlockFlow[] {
    const next = new Map<string, { key: string; node: BlockFlow }>();
    const nodes = Object.keys(drawing.graph.nodes).map((id) => {
      const [x, y] = drawing.layout[id] ?? [0, 0];
      const position = moved[id] ?? { x, y };
      const inputs = ports.drawn(id), outputs = ports.outputs(id);
      const names = `${inputs.map((p) => p.name)}|${outputs.map((p) => p.name)}`;
      const key = `${position.x},${position.y},${direction},${chosen.has(id)},${id in moved},${names}`;
      const before = this.last.get(id);
      const node = before?.key === key ? before.node : make(id, position);
      next.set(id, { key, node });
      return node;
    });
    this.last = next;
    return nodes;

    function make(id: string, position: { x: number; y: number }): BlockFlow {
      const size = cardSize(ports, id, direction);
      return {
        id, type: "block", position, data: DATA[direction], selected: chosen.has(id), ...size,
        dragging: id in moved, measured: size, handles: handles(ports, id, direction),
        ariaLabel: `${id}, ${drawing.graph.nodes[id]?.block ?? "shared weights"}`,
      };
    }
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
      const before = this.last.get(note.id), selected = chosen.has(note.id), at = moved[note.id];
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
    id: note.id, type: "note", position: { x: left, y: top }, data: PLAIN, selected, ...size, measured: size,
    dragging: moved !== undefined, ...(note.node ? { parentId: note.node } : {}),
    ariaLabel: `${note.node ? `Note on ${note.node}` : "Note"}: ${text || "empty"}`,
  };
}

export class FlowEdges {
  private last = new Map<string, WireFlow>();

  build(edges: readonly Edge[], chosen: ReadonlySet<string>): WireFlow[] {
    const next = new Map<string, WireFlow>();
    for (const edge of edges) {
      const id = edgeId(edge);
      const before = this.last.get(id);
      const selected = chosen.has(id);
      next.set(id, before && before.selected === selected ? before : make(id, edge, selected));
    }
    this.last = next;
    return [...next.values()];
  }
}

function make(id: string, edge: Edge, selected: boolean): WireFlow {
  return {
    id, type: "wire", source: edge.source, target: edge.target, sourceHandle: edge.sourcePort,
    targetHandle: edge.targetPort, selected, data: { edge },
    ariaLabel: `Wire from ${edge.source} to ${edge.target} ${edge.targetPort}`,
  };
}

/** A React Flow connection as one of our wires. */
export function asEdge(c: {
  source: string | null; target: string | null; sourceHandle?: string | null; targetHandle?: string | null;
}): Edge {
  return {
    source: c.source ?? "", sourcePort: c.sourceHandle ?? "",
    target: c.target ?? "", targetPort: c.targetHandle ?? "",
  };
}
