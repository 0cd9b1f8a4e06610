/** How blocks learn: frozen, or with a rate of their own. Details of the training, not of the source. */

import { setKey } from "../model/edits";
import { compositesOf } from "../model/scope";
import type { Editor } from "./editor";

export const LEAST = 1e-6,
  MOST = 1000;

/** The node that owns the weights of a block: itself, or the one it shares with. */
export function ownerOf(editor: Editor, id: string): string {
  return editor.state.drawing.graph.nodes[id]?.weights_of ?? id;
}

/** Whether a block has something to learn: the report counts weights, or it is a composite. */
export function hasWeights(editor: Editor, id: string): boolean {
  const {
    drawing: { graph },
    annotations,
    path,
  } = editor.state;
  const owner = ownerOf(editor, id),
    node = graph.nodes[owner];
  if (!node) return false;
  const note = annotations.nodes[path + owner];
  const own = Object.hasOwn(compositesOf(graph), node.block ?? "");
  return node.frozen === true || (note?.params ?? 0) > 0 || (own && (note?.params === undefined || note.params > 0));
}

/** Those of the selected blocks that have something to learn, each owner of weights once. */
export function selectedWithWeights(editor: Editor): string[] {
  const owners = [...editor.state.selectedNodes]
    .filter((id) => hasWeights(editor, id))
    .map((id) => ownerOf(editor, id));
  return [...new Set(owners)];
}

/** Whether all of them are frozen already. */
export function allFrozen(editor: Editor, ids: readonly string[]): boolean {
  return ids.length > 0 && ids.every((id) => editor.state.drawing.graph.nodes[id]?.frozen === true);
}

/** Freeze the selected blocks, or let them learn again when all of them are frozen. */
export function toggleFrozen(editor: Editor): void {
  const ids = selectedWithWeights(editor);
  if (!ids.length) return editor.notify("Select blocks with weights first, such as Conv2d or Linear.");
  setFrozen(editor, ids, !allFrozen(editor, ids));
}

export function setFrozen(editor: Editor, ids: readonly string[], frozen: boolean): void {
  const done = editor.attempt((d) => ({
    ...d,
    graph: ids.reduce((graph, id) => setKey(graph, id, "frozen", frozen), d.graph),
  }));
  if (!done) return;
  const who = ids.length === 1 ? `${ids[0]} is` : `${ids.length} blocks are`;
  editor.notify(frozen ? `${who} frozen: training does not change the weights.` : `${who} no longer frozen.`);
}

/** With so many times the learning rate of the run; 1 is the rate itself. */
export function setFactor(editor: Editor, id: string, factor: number): void {
  editor.attempt((d) => ({ ...d, graph: setKey(d.graph, id, "lr_factor", factor) }), "typing", `lr_factor ${id}`);
}

/** Why a text is no factor, "" when it is one. */
export function factorProblem(text: string): string {
  const value = Number(text.trim());
  const good = text.trim() !== "" && Number.isFinite(value) && value >= LEAST && value <= MOST;
  return good ? "" : `A number from 0.000001 to ${MOST}; 1 keeps the learning rate.`;
}
