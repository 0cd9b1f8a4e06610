/** Messages between canvas and Python, version 3. app/canvas/protocol.py is the other half. */

export const VERSION = 3;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Settings = Record<string, Json>;

/** A node as the project file writes it; unknown keys are kept. */
export interface NodeJson {
  block?: string;
  settings?: Settings;
  label?: string;
  repeat?: number;
  weights_of?: string;
  /** Training leaves its weights as they are. */
  frozen?: boolean;
  /** What the learning rate of its weights is multiplied by. */
  lr_factor?: number;
  /** Forward does not call it: it is constructed, and its weights are kept. */
  unused?: boolean;
}

export interface GraphJson {
  nodes: Record<string, NodeJson>;
  edges: string[];
  composites?: Record<string, CompositeJson>;
}

export interface CompositeJson extends GraphJson {
  settings?: Settings;
  /** A custom block: the lines of its Python class. It has no blocks and wires of its own. */
  python?: string[];
  /** What Python read off these lines; it does so again whenever they come back. */
  read?: ReadOff;
  /** Places of its nodes: in the browser only; on the way they are in the layout, as "Name.node". */
  layout?: Layout;
  /** Its notes: in the browser only; on the way they are among those of the drawing. */
  notes?: readonly Note[];
}

/** Ports and settings of a custom block, as its class has them. */
export interface ReadOff {
  summary: string;
  inputs: PortSpec[];
  outputs: PortSpec[];
  settings: SettingSpec[];
}

export type Layout = Record<string, [number, number]>;

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

export interface Action {
  id: string;
  name: string;
  args: Record<string, Json>;
}

/** A snapshot, safe to repeat or lose. */
export interface Up {
  v: number;
  doc: string;
  client: string;
  sid: string;
  epoch: number;
  rev: number;
  semRev: number;
  /** null: nothing to say yet, only a request for what is in `need`. */
  graph: GraphJson | null;
  layout: Layout | null;
  notes: Json[] | null;
  need: ("graph" | "catalogue")[];
  action: Action | null;
  /** Number of the annotations that this canvas holds; 0 for none. */
  have: number;
}

/** What turns the annotations of number `base` into those of this answer. */
export interface AnnotationDelta {
  base: number;
  /** null: the node is gone. Nodes that only moved in the source, as its splice says, are left out. */
  nodes: Record<string, NodeAnnotation | null>;
  /** Lines that stay, lines after them that go, and the lines in their place; or the whole source. */
  source: [number, number, string[]] | string | null;
  set: Partial<Annotations>;
}

export type Edit =
  | { op: "set"; node: string; settings: Settings }
  | { op: "add"; id: string; block: string; settings?: Settings }
  | { op: "remove"; node: string }
  | { op: "insert"; id: string; block: string; settings?: Settings; target: string; port: string }
  | { op: "connect"; edge: string }
  | { op: "disconnect"; edge: string }
  | { op: "rename"; node: string; to: string }
  | { op: "replace"; node: string; block: string; settings?: Settings }
  | { op: "share"; node: string; with: string }
  | { op: "learn"; node: string; frozen?: boolean; lr_factor?: number }
  | { op: "repeat"; node: string; times: number };

/** An edit, and the composite in whose graph it is to be made; none is the whole network. */
export type PlacedEdit = Edit & { composite?: string };

export interface Fix {
  title: string;
  edits: PlacedEdit[];
}

export interface Finding {
  node: string;
  code: string;
  message: string;
  hint: string;
  fixes: Fix[];
}

/** A finding with what it is. */
export interface Problem extends Finding {
  level: "error" | "warning";
}

export type State = "ok" | "waiting" | "error";

/**
 * What leaves an output, as `signature_json` of core/analyse/report.py writes it: a tensor's shape,
 * batch ("N") included, and its dtype; or an integer (a size), then with its `value`. "?" is a size
 * that the data decides. model/signature.ts writes it in words.
 */
export interface Signature {
  shape: (number | string)[];
  dtype: string;
  value?: string;
}

/** What the analysis found out about one node; every key may be left out. */
export interface NodeAnnotation {
  state?: State;
  outputs?: Record<string, Signature>;
  inferred?: Settings;
  params?: number;
  multAdds?: number;
  bytes?: number;
  lines?: number[];
  /** Milliseconds of one forward pass: in the browser only, where it was measured. */
  time?: number;
}

export interface Annotations {
  nodes: Record<string, NodeAnnotation>;
  errors: Finding[];
  warnings: Finding[];
  source: string | null;
  className: string;
  params: number;
  trainable: number;
  multAdds: number;
  /** Why the analysis could not be made at all (time limit, worker lost); "" when it was. */
  failed: string;
}

export interface SettingSpec {
  name: string;
  kind: "int" | "float" | "bool" | "choice" | "text" | "size" | "dims";
  help: string;
  default?: Json;
  required?: boolean;
  start?: Json;
  low?: number | null;
  high?: number | null;
  choices?: string[];
  length?: number;
  unit?: string;
  optional?: boolean;
  inferred?: boolean;
  /** The wire that decides it: the size of dimension `dim` of what comes into `port`, null is their number. */
  from?: { port: string; dim: number | null };
  pattern?: string;
}

export interface PortSpec {
  name: string;
  kind: "tensor" | "tensors" | "size" | "sizes";
  optional?: boolean;
  dtype?: string;
  /** In the browser only: an end of a composite that may still become a tensor or an integer. */
  either?: boolean;
  /** Numbers of dimensions that fit, batch included; none is any. */
  rank?: number[];
  form?: string;
  help?: string;
}

export interface BlockSpec {
  family: string;
  summary: string;
  inputs: PortSpec[];
  outputs: PortSpec[];
  settings: SettingSpec[];
  formula?: string;
  reference?: string;
  paper?: string;
  shape_in?: string;
  shape_out?: string;
  keywords?: string[];
  traits?: string[];
}

export interface FamilySpec {
  name: string;
  title: string;
  blocks: string[];
}

export interface CatalogueJson {
  families: FamilySpec[];
  /** What a beginner's palette shows, by what one wants to do: BEGINNERS of blocks/catalogue.py. */
  beginners?: { title: string; blocks: string[] }[];
  blocks: Record<string, BlockSpec>;
  /** Words that no node id may be, each with whose it is, and the stems of new ids: core.graph.names. */
  reserved: Record<string, string>;
  stems: Record<string, string>;
  /** Stems that stand alone while free (image, join); all others are numbered from 1. */
  alone: string[];
}

/** A run that met a number that is not finite, and the path of the block where that began. */
export interface Fault {
  run: string;
  node: string;
  message: string;
}

export interface Down {
  v: number;
  doc: string;
  sid: string;
  epoch: number;
  seq: number;
  ackRev: number;
  annRev: number;
  ackAction: string;
  name: string;
  about: string;
  /** Where the project is kept, for people; "" while it is a draft only. */
  place: string;
  /** Whether the file at `place` holds exactly this project. */
  saved: boolean;
  /** Whether another tab changed this project, and the user has yet to choose between the two. */
  elsewhere?: boolean;
  /** Whether Python could keep no draft of this drawing, which then is nowhere but in its memory. */
  unkept?: boolean;
  graph: GraphJson | null;
  layout: Layout | null;
  notes?: Json[] | null;
  annotations: Annotations | null;
  /** Number of the annotations of this answer, and what changed since those this canvas has. */
  told?: number;
  changes?: AnnotationDelta | null;
  /** Token of the route that answers edits of this session (store/httpChannel.ts). */
  channel?: string;
  /** Where the newest run of this project diverged; null when it did not. */
  fault?: Fault | null;
  /** A block to select and bring into view, asked for on another page; each wish has its own `n`. */
  look?: { node: string; n: string } | null;
  refused: { rev: number; message: string } | null;
  catalogue: CatalogueJson | null;
  height: number | null;
}
