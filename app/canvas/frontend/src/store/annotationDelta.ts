/** Annotations brought up to date by what changed (app/canvas/revisions.py); the rest keeps its objects. */

import { equal } from "../model/equal";
import type { Annotations, AnnotationDelta, NodeAnnotation } from "../protocol";

export function applyDelta(old: Annotations, { nodes, source, set }: AnnotationDelta): Annotations {
  const splice = Array.isArray(source) ? source : null;
  const moves = splice !== null && splice[2].length !== splice[1];
  const next: Record<string, NodeAnnotation> = {};
  let changed = moves;
  for (const [path, note] of Object.entries(old.nodes)) next[path] = moves ? moved(note, splice) : note;
  for (const [path, note] of Object.entries(nodes)) {
    changed = true;
    if (note === null) delete next[path];
    else next[path] = reuseUnchanged(old.nodes[path], note);
  }
  return {
    ...old,
    ...set,
    nodes: changed ? next : old.nodes,
    source: splice ? spliced(old.source ?? "", splice) : (source as string | null),
  };
}

/** A new note with the old objects in it, where they are equal: only what differs is drawn again. */
export function reuseUnchanged(old: NodeAnnotation | undefined, note: NodeAnnotation): NodeAnnotation {
  if (!old) return note;
  if (equal(old, note)) return old;
  return old.outputs && equal(old.outputs, note.outputs) ? { ...note, outputs: old.outputs } : note;
}

function moved(note: NodeAnnotation, [same, gone, come]: [number, number, string[]]): NodeAnnotation {
  if (!note.lines?.some((line) => line > same)) return note;
  return { ...note, lines: note.lines.map((line) => (line > same ? line + come.length - gone : line)) };
}

function spliced(text: string, [same, gone, come]: [number, number, string[]]): string {
  if (!gone && !come.length) return text;
  const lines = text.split("\n");
  lines.splice(same, gone, ...come);
  return lines.join("\n");
}
