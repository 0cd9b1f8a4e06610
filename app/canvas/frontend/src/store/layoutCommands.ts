/** Verbs that move what is selected and nothing else: one undo step each. */

import { align, type Axis, type Box, distribute, type Side } from "../model/align";
import { cardSize } from "../model/cardSize";
import { tidy } from "../model/layout";
import { notePlace, noteSize } from "../model/notes";
import { layOut, move } from "./editCommands";
import type { Editor } from "./editor";

/** The selected blocks, and the selected notes that are not pinned. */
function chosenBoxes(editor: Editor): Box[] {
  const { drawing, selectedNodes, selectedNotes, direction } = editor.state;
  const ports = editor.ports();
  const blocks = [...selectedNodes].flatMap((id): Box[] => {
    const at = drawing.layout[id];
    return at ? [{ id, x: at[0], y: at[1], ...cardSize(ports, id, direction) }] : [];
  });
  const notes = drawing.notes
    .filter((n) => selectedNotes.has(n.id) && !n.node)
    .map((n): Box => {
      const [x, y] = notePlace(n, drawing.layout);
      return { id: n.id, x, y, ...noteSize(n) };
    });
  return [...blocks, ...notes];
}

export function alignChosen(editor: Editor, side: Side): void {
  const boxes = chosenBoxes(editor);
  if (boxes.length < 2) return editor.notify("Select two or more blocks to align them.", "error");
  move(editor, align(boxes, side));
}

export function distributeChosen(editor: Editor, axis: Axis): void {
  const boxes = chosenBoxes(editor);
  if (boxes.length < 3) return editor.notify("Select three or more blocks to space them evenly.", "error");
  move(editor, distribute(boxes, axis));
}

/** Lay out the selected blocks among themselves, where they stand; with fewer than two, everything. */
export function tidyUp(editor: Editor): void {
  const { drawing, selectedNodes, direction, catalogue } = editor.state;
  const all = Object.keys(drawing.graph.nodes);
  const ids = all.filter((id) => selectedNodes.has(id));
  if (ids.length < 2 || ids.length === all.length) return layOut(editor, direction);
  const mine = new Set(ids);
  const graph = {
    ...drawing.graph,
    nodes: Object.fromEntries(ids.map((id) => [id, drawing.graph.nodes[id] ?? {}])),
    edges: drawing.graph.edges.filter((e) => mine.has(e.source) && mine.has(e.target)),
  };
  const places = tidy({ graph, layout: {} }, direction, catalogue);
  const old = ids.map((id) => drawing.layout[id] ?? [0, 0]);
  const left = Math.min(...old.map((p) => p[0] ?? 0)),
    top = Math.min(...old.map((p) => p[1] ?? 0));
  move(
    editor,
    Object.fromEntries(ids.map((id) => [id, [(places[id]?.[0] ?? 0) + left, (places[id]?.[1] ?? 0) + top]])),
  );
  editor.notify(`${ids.length} blocks laid out. With none selected, L lays out all of them.`);
}
