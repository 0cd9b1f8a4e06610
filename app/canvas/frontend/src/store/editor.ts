/** One document in the browser: the drawing belongs to the user, the annotations to Python. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { Catalogue, EMPTY } from "../model/catalogue";
import { type Direction, directionOf } from "../model/geometry";
import type { Measure } from "../model/heat";
import { type Drawing, edgeId, Refused } from "../model/graph";
import { completed } from "../model/layout";
import { Ports } from "../model/ports";
import type { Annotations } from "../protocol";
import { NOTHING } from "./annotations";

export type Status = "loading" | "checked" | "checking" | "offline" | "refused" | "failed";
export type Tab = "block" | "source" | "problems";

export interface EditorState {
  catalogue: Catalogue;
  drawing: Drawing;
  loaded: boolean;
  past: readonly Drawing[];
  future: readonly Drawing[];
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
  notes: Annotations;
  /** The last source of a drawing without errors, and whether it is older than the drawing. */
  source: string;
  sourceOld: boolean;
  direction: Direction;
  nodes: ReadonlySet<string>;
  edges: ReadonlySet<string>;
  tab: Tab;
  toast: { text: string; tone: "info" | "error"; n: number } | null;
  /** A wish to bring blocks into view; `n` grows with each wish. */
  look: { ids: readonly string[]; start: boolean; n: number };
  rescue: { drawing: Drawing; when: string } | null;
  height: number | null;
  /** What the blocks are coloured by; "" is by their families. */
  heat: Measure | "";
}

export type Pace = "now" | "typing" | "layout";
const MERGE_MS = 800;
const NONE: ReadonlySet<string> = new Set();
const BLANK: Drawing = { graph: { nodes: {}, edges: [] }, layout: {} };

function initial(): EditorState {
  return {
    catalogue: EMPTY, drawing: BLANK, loaded: false, past: [], future: [],
    rev: 0, semRev: 0, ackRev: 0, annRev: -1, status: "loading",
    name: "", about: "", place: "", saved: false, elsewhere: false, refusal: "",
    notes: NOTHING, source: "", sourceOld: false, direction: "down", nodes: NONE, edges: NONE,
    tab: "block", toast: null, look: { ids: [], start: false, n: 0 }, rescue: null, height: null, heat: "",
  };
}

export class Editor {
  readonly store: StoreApi<EditorState> = createStore<EditorState>()(initial);
  /** Called after every committed edit; the sync listens here. */
  onEdit: (pace: Pace) => void = () => {};
  private merging = { key: "", until: 0 };

  constructor(readonly doc: string) {}

  get state(): EditorState {
    return this.store.getState();
  }

  set(part: Partial<EditorState>): void {
    this.store.setState(part);
  }

  ports(): Ports {
    return new Ports(this.state.catalogue, this.state.drawing.graph);
  }

  /** Show a drawing that came from Python. Not an edit; with history it can be undone. */
  load(drawing: Drawing, keepHistory: boolean): void {
    const { catalogue, past, drawing: old } = this.state;
    const direction = directionOf(drawing);
    this.set({
      drawing: completed(drawing, direction, catalogue), direction, loaded: true, future: [],
      past: keepHistory ? [...past, old] : [], nodes: NONE, edges: NONE,
    });
  }

  /** Commit an edit. Edits with the same `merge` key within 0.8 s are one undo step. */
  commit(next: Drawing, pace: Pace = "now", merge = ""): void {
    const { drawing: old, past, rev, semRev, direction, catalogue } = this.state;
    if (next === old || (next.graph === old.graph && next.layout === old.layout)) return;
    const meaning = next.graph !== old.graph;
    const now = Date.now();
    const merged = merge !== "" && merge === this.merging.key && now < this.merging.until;
    this.merging = { key: merge, until: now + MERGE_MS };
    this.set({
      drawing: completed(next, direction, catalogue),
      past: merged ? past : [...past, old],
      future: [],
      rev: rev + 1,
      semRev: meaning ? rev + 1 : semRev,
      ...this.stillSelected(next),
    });
    this.onEdit(meaning ? pace : "layout");
  }

  /** Run an edit that may be refused; a refusal is shown and changes nothing. */
  attempt(edit: (drawing: Drawing) => Drawing, pace: Pace = "now", merge = ""): boolean {
    try {
      this.commit(edit(this.state.drawing), pace, merge);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(error.message, "error");
      return false;
    }
  }

  undo(): void {
    this.travel("past", "future");
  }

  redo(): void {
    this.travel("future", "past");
  }

  private travel(from: "past" | "future", to: "past" | "future"): void {
    const { drawing, rev, semRev } = this.state;
    const list = this.state[from];
    const next = list[list.length - 1];
    if (!next) return;
    const meaning = next.graph !== drawing.graph;
    this.merging = { key: "", until: 0 };
    this.set({
      [from]: list.slice(0, -1), [to]: [...this.state[to], drawing],
      drawing: next, rev: rev + 1, semRev: meaning ? rev + 1 : semRev,
      ...this.stillSelected(next),
    });
    this.onEdit(meaning ? "now" : "layout");
  }

  private stillSelected(next: Drawing): Partial<EditorState> {
    const { nodes, edges } = this.state;
    const wires = new Set(next.graph.edges.map(edgeId));
    const keptNodes = [...nodes].filter((id) => Object.hasOwn(next.graph.nodes, id));
    const keptEdges = [...edges].filter((id) => wires.has(id));
    return {
      ...(keptNodes.length === nodes.size ? {} : { nodes: new Set(keptNodes) }),
      ...(keptEdges.length === edges.size ? {} : { edges: new Set(keptEdges) }),
    };
  }

  select(nodes: Iterable<string>, edges: Iterable<string> = []): void {
    this.set({ nodes: new Set(nodes), edges: new Set(edges) });
  }

  /** Select a node and bring it into view. */
  show(id: string): void {
    const [top = ""] = id.split(".");
    if (!Object.hasOwn(this.state.drawing.graph.nodes, top)) return;
    this.select([top]);
    this.lookAt([top]);
  }

  /** Bring blocks into view; none means all, `start` the beginning of a large drawing. */
  lookAt(ids: readonly string[], start = false): void {
    this.set({ look: { ids, start, n: this.state.look.n + 1 } });
  }

  say(text: string, tone: "info" | "error" = "info"): void {
    this.set({ toast: { text, tone, n: (this.state.toast?.n ?? 0) + 1 } });
  }
}
