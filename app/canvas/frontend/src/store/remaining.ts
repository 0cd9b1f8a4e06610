/** What stays selected when the drawing changes: blocks, wires and notes that are still there. */

import type { Drawing } from "../model/drawing";
import { edgeId } from "../model/graph";
import type { EditorState } from "./state";

export function remaining({ nodes, edges, noteIds, writing }: EditorState, next: Drawing): Partial<EditorState> {
  const wires = new Set(next.graph.edges.map(edgeId));
  const notes = new Set(next.notes.map((n) => n.id));
  const keptNodes = [...nodes].filter((id) => Object.hasOwn(next.graph.nodes, id));
  const keptEdges = [...edges].filter((id) => wires.has(id));
  const keptNotes = [...noteIds].filter((id) => notes.has(id));
  return {
    ...(keptNodes.length === nodes.size ? {} : { nodes: new Set(keptNodes) }),
    ...(keptEdges.length === edges.size ? {} : { edges: new Set(keptEdges) }),
    ...(keptNotes.length === noteIds.size ? {} : { noteIds: new Set(keptNotes) }),
    ...(writing && !notes.has(writing) ? { writing: "" } : {}),
  };
}
