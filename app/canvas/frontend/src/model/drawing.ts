/** The drawing as a value: blocks, wires, places and notes. Each edit gives a new one. */

import type { GraphJson, Layout, NodeJson, Note } from "../protocol";

export interface Edge {
  readonly source: string;
  readonly sourcePort: string;
  readonly target: string;
  readonly targetPort: string;
}

/** Nodes in file order and wires with both ports named. Other keys of the file are kept. */
export interface Graph {
  readonly nodes: Readonly<Record<string, NodeJson>>;
  readonly edges: readonly Edge[];
  readonly composites?: GraphJson["composites"];
  /** In the browser only: this is the graph of a composite, whose ends may be integers. */
  readonly inner?: boolean;
}

export interface Drawing {
  readonly graph: Graph;
  readonly layout: Readonly<Layout>;
  readonly notes: readonly Note[];
}

/** A drawing without its notes, where they do not matter. */
export type Placed = Pick<Drawing, "graph" | "layout">;
