/** Which of the two panels beside the canvas are closed. */

import { type Focus, folded, type Room } from "./lesson";

/** As narrow.css has them: up to here both panels lie over the canvas, and up to here the inspector does. */
export const NARROW_PX = 800,
  SHEET_PX = 1000;
/** So wide a window has room for the inspector beside a lesson. */
export const WIDE_PX = 1600;

export interface Closed {
  readonly palette: boolean;
  readonly side: boolean;
}

/** The panels of one workbench; what a student opens stays open until the next step of a lesson, or the window changes. */
export class Panels {
  closed: Closed;
  private step = "";

  constructor(public room: Room) {
    this.closed = folded(null, room);
  }

  /** Fold for a step of a lesson, once. */
  follow(focus: Focus | null): void {
    const step = focus?.step ?? "";
    if (step === this.step) return;
    this.step = step;
    this.closed = folded(focus, this.room);
  }

  /** The window crossed a width at which a panel lies over the canvas, as by a zoom of 200 %. */
  resize(room: Room, focus: Focus | null): void {
    const before = this.room;
    this.room = room;
    if (docked(before) !== docked(room)) this.closed = folded(focus, room);
  }

  flip(what: keyof Closed): void {
    const opens = this.closed[what];
    const other = what === "palette" ? "side" : "palette";
    this.closed = { ...this.closed, [what]: !opens, ...(opens && this.room === "none" ? { [other]: true } : {}) };
  }
}

/** How many panels stand beside the canvas. */
const docked = (room: Room): number => (room === "none" ? 0 : room === "palette" ? 1 : 2);
