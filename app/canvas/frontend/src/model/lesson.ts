/** What the lesson beside the drawing asks of the canvas: what to mark, to hide and to fold. */

import type { Edge } from "./drawing";
import type { NodeAnnotation } from "../protocol";
import { label } from "./signature";

export interface Focus {
  /** Lesson and step; another one folds the panels anew. */
  step: string;
  about: readonly string[];
  /** What the lesson asks for: "params" or "shape" and a block, or "total" and "". */
  hidden: readonly (readonly [what: string, id: string])[];
  palette: boolean;
  settings: boolean;
}

/** What has room beside the canvas; the other panels lie over it as sheets, and open only on request. */
export type Room = "none" | "palette" | "both" | "lesson";

/** Read what the panel of the lesson has left for the canvas; null where there is no lesson. */
export function readFocus(data: unknown): Focus | null {
  if (typeof data !== "object" || data === null) return null;
  const { step, about, hidden, palette, settings } = data as Record<string, unknown>;
  if (typeof step !== "string") return null;
  return {
    step,
    about: Array.isArray(about) ? about.filter((name) => typeof name === "string") : [],
    hidden: Array.isArray(hidden)
      ? hidden.filter(
          (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string"),
        )
      : [],
    palette: palette === true,
    settings: settings === true,
  };
}

/** Which panels are closed for a step: those it does not need, and all that lie over a narrow canvas. */
export function folded(focus: Focus | null, room: Room): { palette: boolean; side: boolean } {
  const sheet = room === "none" || room === "palette";
  if (!focus || room === "none") return { palette: room === "none", side: sheet };
  return { palette: !focus.palette, side: sheet || (!focus.settings && room !== "lesson") };
}

/** Whether a lesson asks for this number. */
export const asks = (focus: Focus | null, what: string, id = ""): boolean =>
  focus?.hidden.some((pair) => pair[0] === what && pair[1] === id) ?? false;

/** The blocks whose shape would give an answer away: those asked for, and those that pass it on. */
export function hiddenShapes(
  focus: Focus | null,
  edges: readonly Edge[],
  nodes: Readonly<Record<string, Pick<NodeAnnotation, "outputs">>>,
): ReadonlySet<string> {
  const hidden = new Set<string>();
  const shape = (id: string) => Object.values(nodes[id]?.outputs ?? {}).map(label)[0] ?? "";
  const waiting = (focus?.hidden ?? []).filter(([what]) => what === "shape").map(([, id]) => id);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (hidden.has(id)) continue;
    hidden.add(id);
    waiting.push(...edges.filter((e) => e.source === id && shape(e.target) === shape(e.source)).map((e) => e.target));
  }
  return hidden;
}
