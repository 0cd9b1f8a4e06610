/** Which of the two panels beside the canvas are closed. */

import { type Focus, folded } from "./lesson";

export interface Closed {
  readonly palette: boolean;
  readonly side: boolean;
}

/** The panels of one workbench; what a student opens stays open until the next step of a lesson, or the window changes. */
export class Panels {
  closed: Closed;
  private step = "";

  /** narrow: the panels lie over the canvas, so they open only on request, one at a time. */
  constructor(private narrow: boolean) {
    this.closed = folded(null, narrow, false);
  }

  /** Fold for a step of a lesson, once; wide: there is room for the inspector beside a lesson. */
  follow(focus: Focus | null, wide: boolean): void {
    const step = focus?.step ?? "";
    if (step === this.step) return;
    this.step = step;
    this.closed = folded(focus, this.narrow, wide);
  }

  /** The window crossed the width at which the panels lie over the canvas, as by a zoom of 200 %. */
  resize(narrow: boolean, focus: Focus | null, wide: boolean): void {
    if (narrow === this.narrow) return;
    this.narrow = narrow;
    this.closed = folded(focus, narrow, wide);
  }

  flip(what: keyof Closed): void {
    const opens = this.closed[what];
    const other = what === "palette" ? "side" : "palette";
    this.closed = { ...this.closed, [what]: !opens, ...(opens && this.narrow ? { [other]: true } : {}) };
  }
}
