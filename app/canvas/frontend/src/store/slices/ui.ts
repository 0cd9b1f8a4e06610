/** How the drawing is looked at: the way it is laid out, what lies over it, the tab beside it. */

import type { Direction } from "../../model/geometry";
import type { Measure } from "../../model/heat";

/** "autograd" only stands there while a step is gone through. */
export type Tab = "block" | "source" | "problems" | "autograd";

/** What lies over the canvas; places are in pixels of the canvas, or of the drawing (`at`). */
export type Overlay =
  | { kind: "group" }
  | { kind: "part" }
  | { kind: "search" }
  | { kind: "text"; mode: "copy" | "paste" }
  | { kind: "menu"; x: number; y: number; at?: [number, number] }
  | { kind: "drop"; x: number; y: number; at: [number, number]; source: string; port: string; into?: Into }
  | { kind: "front"; x: number; y: number; at: [number, number]; target: string; port: string }
  | { kind: "place"; x: number; y: number; at: [number, number] }
  | { kind: "residual"; x: number; y: number; source: string; port: string; target: string };

/** The port that a wire was drawn to which cannot take it as it is, and why not. */
export interface Into {
  target: string;
  targetPort: string;
  why: string;
}

export interface UiSlice {
  direction: Direction;
  tab: Tab;
  toast: { text: string; tone: "info" | "error"; n: number } | null;
  /** A wish to bring blocks into view; `n` grows with each wish. */
  viewRequest: { ids: readonly string[]; start: boolean; n: number; fit?: boolean; follow?: "added" | "moved" };
  /** Height of the canvas in pixels; null fills the window. */
  height: number | null;
  /** What the blocks are coloured by; "" is by their families. */
  heat: Measure | "";
  overlay: Overlay | null;
  /** Whether the list of keys is shown. */
  help: boolean;
}

export const uiSlice = (): UiSlice => ({
  direction: "down",
  tab: "block",
  toast: null,
  viewRequest: { ids: [], start: false, n: 0 },
  height: null,
  heat: "",
  overlay: null,
  help: false,
});
