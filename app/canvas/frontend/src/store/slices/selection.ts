/** What is selected: blocks, wires and notes of the drawing that is shown. */

import type { Drawing } from "../../model/drawing";
import { edgeId } from "../../model/graph";

export interface SelectionSlice {
  selectedNodes: ReadonlySet<string>;
  selectedEdges: ReadonlySet<string>;
  selectedNotes: ReadonlySet<string>;
  /** The note that is being written; "" for none. */
  editedNote: string;
}

const NONE: ReadonlySet<string> = new Set();
export const NOTHING_SELECTED: SelectionSlice = {
  selectedNodes: NONE,
  selectedEdges: NONE,
  selectedNotes: NONE,
  editedNote: "",
};

export const selectionSlice = (): SelectionSlice => NOTHING_SELECTED;

/** What stays selected when the drawing changes: blocks, wires and notes that are still there. */
export function remainingSelection(
  { selectedNodes, selectedEdges, selectedNotes, editedNote }: SelectionSlice,
  next: Drawing,
): Partial<SelectionSlice> {
  const wires = new Set(next.graph.edges.map(edgeId));
  const notes = new Set(next.notes.map((n) => n.id));
  const keptNodes = [...selectedNodes].filter((id) => Object.hasOwn(next.graph.nodes, id));
  const keptEdges = [...selectedEdges].filter((id) => wires.has(id));
  const keptNotes = [...selectedNotes].filter((id) => notes.has(id));
  return {
    ...(keptNodes.length === selectedNodes.size ? {} : { selectedNodes: new Set(keptNodes) }),
    ...(keptEdges.length === selectedEdges.size ? {} : { selectedEdges: new Set(keptEdges) }),
    ...(keptNotes.length === selectedNotes.size ? {} : { selectedNotes: new Set(keptNotes) }),
    ...(editedNote && !notes.has(editedNote) ? { editedNote: "" } : {}),
  };
}
