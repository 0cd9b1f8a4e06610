/** What stands for the browser's memory, and drawings that are met again after a reload. */
import { afterEach, beforeEach, vi } from "vitest";
import { addAt } from "../src/store/editCommands";
import { bench, Python } from "./shared";

export const kept = new Map<string, string>();

/** Give each test of a file a memory of its own. */
export function remembers() {
  beforeEach(() => {
    kept.clear();
    const storage = {
      getItem: (k: string) => kept.get(k) ?? null,
      setItem: (k: string, v: string) => void kept.set(k, v),
      removeItem: (k: string) => void kept.delete(k),
    };
    vi.stubGlobal("sessionStorage", storage);
    vi.stubGlobal("localStorage", storage);
  });
  afterEach(() => vi.unstubAllGlobals());
}

export function edited() {
  const first = bench();
  addAt(first.editor, "ReLU", [0, 0]);
  first.python.take();
  first.answer();
  addAt(first.editor, "ReLU", [0, 100]);
  first.python.take();
  first.answer();
  return first;
}

export function reloaded(python: Python) {
  python.needs = true;
  return bench(Object.assign(new Python("again"), { graph: python.graph, layout: python.layout }));
}

/** Python with a drawing that no tab here ever drew. */
export const changed = (python: Python) =>
  Object.assign(python, { graph: { ...python.graph, nodes: { ...python.graph.nodes, theirs: { block: "ReLU" } } } });
