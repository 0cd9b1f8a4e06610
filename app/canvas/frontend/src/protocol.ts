/** Messages between canvas and Python, and what the canvas alone adds to them. */

import type { Finding } from "./protocol.gen";

export * from "./protocol.gen";

declare module "./protocol.gen" {
  interface CompositeJson {
    /** Places of its nodes: in the browser only; on the way they are in the layout, as "Name.node". */
    layout?: Layout;
    /** Its notes: in the browser only; on the way they are among those of the drawing. */
    notes?: readonly Note[];
  }
  interface PortSpec {
    /** In the browser only: an end of a composite that may still become a tensor or an integer. */
    either?: boolean;
  }
  interface NodeAnnotation {
    /** Milliseconds of one forward pass: in the browser only, where it was measured. */
    time?: number;
  }
}

/** A note on the drawing, free or pinned to a block. */
export interface Note {
  /** The canvas's own; the file knows a note by its place in the list. No id of a block has a "-". */
  readonly id: string;
  readonly text: string;
  /** The block it is pinned to; `at` then counts from the block's place. */
  readonly node?: string;
  readonly at: readonly [number, number];
  readonly size?: readonly [number, number];
}

/** A finding with what it is. */
export interface Problem extends Finding {
  level: "error" | "warning";
}
