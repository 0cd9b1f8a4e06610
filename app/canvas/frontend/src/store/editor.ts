/** One document in the browser: the drawing belongs to the user, the annotations to Python. */

import { createStore, type StoreApi } from "zustand/vanilla";
import type { Drawing } from "../model/drawing";
import { type Direction, directionOf } from "../model/geometry";
import { Refused } from "../model/graph";
import { completed } from "../model/layout";
import { Ports } from "../model/ports";
import { embed, inside, opened, pathOf, reachable, type Scope } from "../model/scope";
import type { ActionName, Json, Layout } from "../protocol";
import { NOTHING_SELECTED, remainingSelection } from "./slices/selection";
import type { Pace } from "./slices/sync";
import { type EditorState, initial } from "./state";

const MERGE_MS = 800;

const partsOf = ({ graph: { composites } }: Drawing) => (composites ? { composites } : {});

export class Editor {
  readonly store: StoreApi<EditorState> = createStore<EditorState>()(initial);
  /** Called after every committed edit; the sync listens here. */
  onEdit: (pace: Pace) => void = () => {};
  /** Called for what Python shows: the code of a custom block ("" is a new one), all that nobody trusted, or a page. */
  onAsk: (name: ActionName, args: Record<string, Json>) => void = () => {};
  /** Where the edit was made that led to a drawing: undo and redo show that place. */
  private readonly madeIn = new WeakMap<Drawing, Scope>();
  /** Which way a drawing was laid out when it was made: undo of another way brings back both. */
  private readonly ways = new WeakMap<Drawing, Direction>();
  /** The middle of what is seen, in the drawing's own pixels; the view says it. */
  middle: () => [number, number] = () => [0, 0];
  /** Make the view so many times as large; the view does it. */
  zoom: (by: number) => void = () => {};
  private merging = { key: "", until: 0 };

  constructor(readonly doc: string) {}

  get state(): EditorState {
    return this.store.getState();
  }

  set(part: Partial<EditorState>): void {
    const { state } = this;
    const news = (Object.keys(part) as (keyof EditorState)[]).some((key) => !Object.is(part[key], state[key]));
    if (news) this.store.setState(part); // what changes nothing is asked of nobody
  }

  private lastPorts: Ports | null = null;

  ports(): Ports {
    const {
      catalogue,
      drawing: { graph },
    } = this.state;
    const last = this.lastPorts;
    if (last && last.catalogue === catalogue && last.graph === graph) return last;
    return (this.lastPorts = new Ports(catalogue, graph));
  }

  /** Show a drawing that came from Python. Not an edit; with history it can be undone. */
  load(drawing: Drawing, keepHistory: boolean): void {
    const { catalogue, past, whole: old } = this.state;
    const direction = directionOf(drawing);
    const whole = completed(drawing, direction, catalogue);
    this.ways.set(whole, direction);
    this.set({
      whole,
      drawing: whole,
      scope: [],
      path: "",
      direction,
      loaded: true,
      future: [],
      past: keepHistory ? [...past, old] : [],
      ...NOTHING_SELECTED,
    });
  }

  /** Commit an edit. Edits with the same `merge` key within 0.8 s are one undo step. */
  commit(next: Drawing, pace: Pace = "now", merge = ""): void {
    const { drawing: old, direction, catalogue } = this.state;
    if (next === old || (next.graph === old.graph && next.layout === old.layout && next.notes === old.notes)) return;
    const placed = completed(next, direction, catalogue);
    const whole = this.around(placed);
    const drawing = this.state.scope.length ? { ...placed, graph: { ...placed.graph, ...partsOf(whole) } } : whole;
    this.keep(whole, drawing, next.graph !== old.graph, pace, merge);
  }

  /** The whole drawing with the one that is shown in its place. Throws Refused. */
  private around(drawing: Drawing): Drawing {
    const { whole, scope, catalogue } = this.state;
    return scope.length ? embed(whole, opened(whole.graph, scope), drawing, catalogue) : drawing;
  }

  /** Commit a new whole drawing; what is open stays open while it exists. */
  commitWhole(next: Drawing, pace: Pace = "now", merge = ""): void {
    const { whole: old, catalogue, direction } = this.state;
    if (next === old) return;
    const whole = completed(next, direction, catalogue);
    this.keep(whole, this.shown(whole, reachable(whole.graph, this.state.scope)), true, pace, merge);
  }

  private shown(whole: Drawing, scope: Scope): Drawing {
    const { catalogue, direction } = this.state;
    if (!scope.length) return whole;
    return completed(inside(whole, opened(whole.graph, scope), catalogue), direction, catalogue);
  }

  private keep(whole: Drawing, drawing: Drawing, meaning: boolean, pace: Pace, merge: string): void {
    const { whole: old, past, rev, semRev } = this.state;
    const scope = reachable(whole.graph, this.state.scope);
    const now = Date.now();
    const merged = merge !== "" && merge === this.merging.key && now < this.merging.until;
    this.merging = { key: merge, until: now + MERGE_MS };
    this.set({
      whole,
      drawing,
      scope,
      path: pathOf(whole.graph, scope),
      past: merged ? past : [...past, old],
      future: [],
      rev: rev + 1,
      semRev: meaning ? rev + 1 : semRev,
      ...remainingSelection(this.state, drawing),
    });
    this.madeIn.set(whole, scope);
    this.ways.set(whole, this.state.direction);
    this.onEdit(meaning ? pace : "layout");
  }

  /** Run an edit that may be refused; a refusal is shown and changes nothing. */
  attempt(edit: (drawing: Drawing) => Drawing, pace: Pace = "now", merge = ""): boolean {
    return this.guard(() => this.commit(edit(this.state.drawing), pace, merge));
  }

  /** The same for an edit of the whole drawing, whatever is open. */
  attemptWhole(edit: (whole: Drawing) => Drawing, pace: Pace = "now", merge = ""): boolean {
    return this.guard(() => this.commitWhole(edit(this.state.whole), pace, merge));
  }

  private guard(edit: () => void): boolean {
    try {
      edit();
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.notify(error.message, "error");
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
    const { whole: old, rev, semRev } = this.state;
    const list = this.state[from];
    const next = list[list.length - 1];
    if (!next) return;
    const meaning = next.graph !== old.graph;
    const place = this.madeIn.get(from === "past" ? old : next) ?? this.state.scope;
    const scope = reachable(next.graph, place);
    this.set({ direction: this.ways.get(next) ?? directionOf(next) });
    const drawing = this.shown(next, scope);
    this.merging = { key: "", until: 0 };
    this.set({
      [from]: list.slice(0, -1),
      [to]: [...this.state[to], old],
      whole: next,
      drawing,
      scope,
      path: pathOf(next.graph, scope),
      rev: rev + 1,
      semRev: meaning ? rev + 1 : semRev,
      ...remainingSelection(this.state, drawing),
    });
    this.onEdit(meaning ? "now" : "layout");
  }

  select(nodes: Iterable<string>, edges: Iterable<string> = [], notes: Iterable<string> = []): void {
    const selectedNodes = new Set(nodes);
    this.set({
      selectedNodes,
      selectedEdges: new Set(edges),
      selectedNotes: new Set(notes),
      ...this.tabFor(selectedNodes),
    });
  }

  /** A block that is selected anew, alone, shows its settings. */
  tabFor(next: ReadonlySet<string>): { tab?: "block" } {
    const [only = ""] = next;
    return next.size === 1 && !(this.state.selectedNodes.size === 1 && this.state.selectedNodes.has(only))
      ? { tab: "block" }
      : {};
  }

  /** Open a use inside another, as far as it leads; none is the whole network. Not an edit. */
  open(place: Scope): void {
    const { whole, scope: old } = this.state;
    const scope = reachable(whole.graph, place);
    const left = old[scope.length];
    const up = scope.length < old.length && scope.every((id, i) => old[i] === id);
    this.set({
      scope,
      path: pathOf(whole.graph, scope),
      drawing: this.shown(whole, scope),
      overlay: null,
      ...NOTHING_SELECTED,
      ...(up && left ? { selectedNodes: new Set([left]) } : {}),
    });
    this.lookAt([], true);
  }

  /** Select the node (or note) at a path of the report and bring it into view, opening what it stands in. */
  show(path: string): void {
    const parts = path.split(".").filter((part) => !/^\d+$/.test(part));
    const place = reachable(this.state.whole.graph, parts.slice(0, -1));
    const id = parts[place.length] ?? "";
    if (place.join() !== this.state.scope.join()) this.open(place);
    const { graph, notes } = this.state.drawing;
    if (notes.some((note) => note.id === id)) this.select([], [], [id]);
    else if (Object.hasOwn(graph.nodes, id)) this.select([id]);
    else return;
    this.lookAt([id]);
  }

  /** Bring blocks into view; none means all, `start` the beginning of a large drawing. `fit`: all of them. */
  lookAt(ids: readonly string[], start = false, fit = false): void {
    this.set({ viewRequest: { ids, start, fit, n: this.state.viewRequest.n + 1 } });
  }

  /**
   * Let the view go with a block that was added: all of the drawing while that is readable, else its
   * newest part. before: where the blocks stood; those that made way are to be seen, too.
   */
  follow(id: string, before: Layout = {}): void {
    const {
      drawing: { layout },
      viewRequest: { n },
    } = this.state;
    const moved = Object.entries(before).some(
      ([other, [x, y]]) => layout[other] && (layout[other][0] !== x || layout[other][1] !== y),
    );
    this.set({ viewRequest: { ids: [id], start: false, follow: moved ? "moved" : "added", n: n + 1 } });
  }

  notify(text: string, tone: "info" | "error" = "info"): void {
    this.set({ toast: { text, tone, n: (this.state.toast?.n ?? 0) + 1 } });
  }

  /** What was said is about now: none of it is said again on coming back to the page. */
  forgetToast(): void {
    if (this.state.toast) this.set({ toast: null });
  }
}
