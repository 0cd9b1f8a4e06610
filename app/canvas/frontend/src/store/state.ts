/** What an open document holds in the browser. The drawing is the user's, the annotations are Python's. */

import { type Catalogue, EMPTY } from "../model/catalogue";
import type { Drawing } from "../model/drawing";
import type { Direction } from "../model/geometry";
import type { Measure } from "../model/heat";
import type { Scope } from "../model/scope";
import type { Annotations, Fault, Json } from "../protocol";
import { NOTHING } from "./annotations";

export type Status = "loading" | "checked" | "checking" | "offline" | "refused" | "failed";
export type Tab = "block" | "source" | "problems";

export interface EditorState {
  catalogue: Catalogue;
  /** What is shown and edited: the whole network, or the composite that is open. */
  drawing: Drawing;
  whole: Drawing;
  /** The uses opened one inside the other, and their path in the report ("stage1.0."). */
  scope: Scope;
  path: string;
  loaded: boolean;
  past: readonly Drawing[];
  future: readonly Drawing[];
  /** What Python may have of this tab: the last drawing it answered for, and those sent since. */
  told: readonly Drawing[];
  rev: number;
  semRev: number;
  ackRev: number;
  annRev: number;
  status: Status;
  name: string;
  about: string;
  place: string;
  saved: boolean;
  elsewhere: boolean;
  refusal: string;
  /** Where the newest run diverged. */
  fault: Fault | null;
  notes: Annotations;
  /** The last source of a drawing without errors, and whether it is older than the drawing. */
  source: string;
  sourceOld: boolean;
  direction: Direction;
  nodes: ReadonlySet<string>;
  edges: ReadonlySet<string>;
  /** Notes that are selected, and the one that is being written. */
  noteIds: ReadonlySet<string>;
  writing: string;
  /** What stands among the notes of the file but is none: sent back as it came. */
  strange: readonly Json[];
  tab: Tab;
  toast: { text: string; tone: "info" | "error"; n: number } | null;
  /** A wish to bring blocks into view; `n` grows with each wish. */
  look: { ids: readonly string[]; start: boolean; n: number; fit?: boolean };
  /** Unsent edits of an earlier visit, and the steps that led to them where this tab still has them. */
  rescue: { drawing: Drawing; when: string; trail?: Pick<EditorState, "past" | "future"> } | null;
  height: number | null;
  /** What the blocks are coloured by; "" is by their families. */
  heat: Measure | "";
  overlay: Overlay | null;
}

/** What lies over the canvas; places are in pixels of the canvas, or of the drawing (`at`). */
export type Overlay =
  | { kind: "group" }
  | { kind: "search" }
  | { kind: "text"; mode: "copy" | "paste" }
  | { kind: "menu"; x: number; y: number; at?: [number, number] }
  | { kind: "drop"; x: number; y: number; at: [number, number]; source: string; port: string; into?: Into }
  | { kind: "front"; x: number; y: number; at: [number, number]; target: string; port: string }
  | { kind: "residual"; x: number; y: number; source: string; port: string; target: string };

/** The port that a wire was drawn to which cannot take it as it is, and why not. */
export interface Into {
  target: string;
  targetPort: string;
  why: string;
}

/** How soon Python is told of an edit. */
export type Pace = "now" | "typing" | "layout";

export const NONE: ReadonlySet<string> = new Set();
const BLANK: Drawing = { graph: { nodes: {}, edges: [] }, layout: {}, notes: [] };

export function initial(): EditorState {
  return {
    catalogue: EMPTY, drawing: BLANK, whole: BLANK, scope: [], path: "", loaded: false, past: [], future: [], told: [],
    rev: 0, semRev: 0, ackRev: 0, annRev: -1, status: "loading",
    name: "", about: "", place: "", saved: false, elsewhere: false, refusal: "", fault: null,
    notes: NOTHING, source: "", sourceOld: false, direction: "down", nodes: NONE, edges: NONE, noteIds: NONE, writing: "", strange: [],
    tab: "block", toast: null, look: { ids: [], start: false, n: 0 }, rescue: null, height: null, heat: "", overlay: null,
  };
}
