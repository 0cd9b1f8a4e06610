/** Keep old annotation objects where their content is equal, so that only changed blocks redraw. */

import type { Annotations, Finding, NodeNote } from "../protocol";

export const NOTHING: Annotations = {
  nodes: {}, errors: [], warnings: [], source: null, className: "", params: 0, trainable: 0,
  multAdds: 0, failed: "",
};

export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  if (left.length !== Object.keys(b).length) return false;
  return left.every(([k, v]) => Object.hasOwn(b, k) && equal(v, (b as Record<string, unknown>)[k]));
}

function keep<T>(old: T, next: T): T {
  return equal(old, next) ? old : next;
}

export function reuse(old: Annotations, next: Annotations): Annotations {
  let changed = Object.keys(old.nodes).length !== Object.keys(next.nodes).length;
  const nodes: Record<string, NodeNote> = {};
  for (const [id, note] of Object.entries(next.nodes)) {
    const before = old.nodes[id];
    const kept = before && equal(before, note) ? before : note;
    if (kept !== before) changed = true;
    nodes[id] = kept;
  }
  return {
    ...next,
    nodes: changed ? nodes : old.nodes,
    errors: keep(old.errors, next.errors),
    warnings: keep(old.warnings, next.warnings),
  };
}

export interface Problem extends Finding {
  level: "error" | "warning";
}

/** Errors first, then warnings. */
export function problems(notes: Annotations): Problem[] {
  return [
    ...notes.errors.map((f): Problem => ({ ...f, level: "error" })),
    ...notes.warnings.map((f): Problem => ({ ...f, level: "warning" })),
  ];
}

const byNode = new WeakMap<Annotations, Map<string, Problem>>();

/** The first finding of a node of the top level; findings inside a composite count for its use. */
export function firstProblem(notes: Annotations, id: string): Problem | undefined {
  let found = byNode.get(notes);
  if (!found) {
    found = new Map();
    for (const problem of problems(notes)) {
      const [top = ""] = problem.node.split(".");
      if (!found.has(top)) found.set(top, problem);
    }
    byNode.set(notes, found);
  }
  return found.get(id);
}
