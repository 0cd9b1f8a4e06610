/** What the lesson beside the drawing asks of the canvas: what to mark, to hide and to fold. */

import type { Edge } from "./drawing";
import type { NodeAnnotation } from "../protocol";
import { label } from "./signature";

export type Hidden = "" | "params" | "shape" | "total";

export interface Focus {
  /** Lesson and step; another one folds the panels anew. */
  step: string;
  about: readonly string[];
  hidden: Hidden;
  /** The block whose number or shape is asked for; "" for none. */
  asked: string;
  palette: boolean;
  settings: boolean;
}

const HIDDEN: readonly unknown[] = ["params", "shape", "total"];

/** Read what the panel of the lesson has left for the canvas; null where there is no lesson. */
export function readFocus(data: unknown): Focus | null {
  if (typeof data !== "object" || data === null) return null;
  const { step, about, hidden, asked, palette, settings } = data as Record<string, unknown>;
  if (typeof step !== "string") return null;
  return {
    step,
    about: Array.isArray(about) ? about.filter((name) => typeof name === "string") : [],
    hidden: HIDDEN.includes(hidden) ? (hidden as Hidden) : "",
    asked: typeof asked === "string" ? asked : "",
    palette: palette === true,
    settings: settings === true,
  };
}

/** Which panels are closed for a step: those it does not need, and all that lie over a narrow canvas. */
export function folded(focus: Focus | null, narrow: boolean, wide: boolean): { palette: boolean; side: boolean } {
  if (!focus || narrow) return { palette: narrow, side: narrow };
  return { palette: !focus.palette, side: !focus.settings && !wide };
}

/** The blocks whose shape would give an answer away: the one asked for, and those that pass it on. */
export function hiddenShapes(focus: Focus | null, edges: readonly Edge[], nodes: Readonly<Record<string, Pick<NodeAnnotation, "outputs">>>): ReadonlySet<string> {
  const hidden = new Set<string>();
  if (focus?.hidden !== "shape") return hidden;
  const shape = (id: string) => Object.values(nodes[id]?.outputs ?? {}).map(label)[0] ?? "";
  const right = shape(focus.asked), waiting = [focus.asked];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (hidden.has(id)) continue;
    hidden.add(id);
    waiting.push(...edges.filter((e) => e.source === id && shape(e.target) === right).map((e) => e.target));
  }
  return hidden;
}
