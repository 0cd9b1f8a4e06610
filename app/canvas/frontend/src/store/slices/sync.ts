/** The conversation with Python: revisions, its state in a word, and what the last analysis said. */

import type { Drawing } from "../../model/drawing";
import type { Annotations } from "../../protocol";
import { NOTHING } from "../annotations";

export type Status = "loading" | "checked" | "checking" | "offline" | "refused" | "failed";

/** How soon Python is told of an edit. */
export type Pace = "now" | "typing" | "layout";

/** Unsent edits of an earlier visit, and the steps that led to them where this tab still has them. */
export interface Rescue {
  drawing: Drawing;
  when: string;
  trail?: { past: readonly Drawing[]; future: readonly Drawing[] };
}

export interface SyncSlice {
  /** Number of the newest edit, and of the newest that changed more than places. */
  rev: number;
  semRev: number;
  /** The newest edit that Python has, and the one that the annotations are about. */
  ackRev: number;
  annRev: number;
  status: Status;
  /** Why Python did not take the drawing; "" when it did. */
  refusal: string;
  /** What Python may have of this tab: the last drawing it answered for, and those sent since. */
  sentDrawings: readonly Drawing[];
  annotations: Annotations;
  /** The last source of a drawing without errors, and whether it is older than the drawing. */
  source: string;
  sourceOld: boolean;
  /** Whether another tab changed this project, and the user has yet to choose between the two. */
  elsewhere: boolean;
  /** Whether the drawing lies on no disk: Python could keep no draft of it. */
  unkept: boolean;
  rescue: Rescue | null;
}

export const syncSlice = (): SyncSlice => ({
  rev: 0,
  semRev: 0,
  ackRev: 0,
  annRev: -1,
  status: "loading",
  refusal: "",
  sentDrawings: [],
  annotations: NOTHING,
  source: "",
  sourceOld: false,
  elsewhere: false,
  unkept: false,
  rescue: null,
});
