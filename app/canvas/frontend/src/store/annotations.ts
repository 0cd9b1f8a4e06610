/** Keep old annotation objects where their content is equal, so that only changed blocks redraw. */

import { equal } from "../model/equal";
import type { Annotations, Finding, NodeAnnotation, Problem } from "../protocol";
import { reuseUnchanged as keptNote } from "./annotationDelta";

export { equal };

export const NOTHING: Annotations = {
  nodes: {},
  errors: [],
  warnings: [],
  source: null,
  className: "",
  params: 0,
  trainable: 0,
  multAdds: 0,
  failed: "",
};

function keep<T>(old: T, next: T): T {
  return equal(old, next) ? old : next;
}

export function reuse(old: Annotations, next: Annotations): Annotations {
  let changed = Object.keys(old.nodes).length !== Object.keys(next.nodes).length;
  const nodes: Record<string, NodeAnnotation> = {};
  for (const [id, note] of Object.entries(next.nodes)) {
    const before = old.nodes[id];
    const kept = keptNote(before, note);
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

const leveled = new WeakMap<Finding, Problem>();

/** The same finding is the same problem: its block is drawn again only for another one. */
function problem(finding: Finding, level: Problem["level"]): Problem {
  const known = leveled.get(finding) ?? { ...finding, level };
  leveled.set(finding, known);
  return known;
}

/** Errors first, then warnings. */
export function problems(notes: Annotations): Problem[] {
  return [...notes.errors.map((f) => problem(f, "error")), ...notes.warnings.map((f) => problem(f, "warning"))];
}

const byNode = new WeakMap<Annotations, { prefix: string; first: Map<string, Problem> }>();

/** Ids along a path of the report, without the numbers of repetitions. */
export const steps = (path: string): string[] => path.split(".").filter((part) => part && !/^\d+$/.test(part));

/** The node, among those shown at `prefix`, that a finding belongs to; "" when it is elsewhere. */
export function shownAs(path: string, prefix: string): string {
  const all = steps(path),
    scope = steps(prefix);
  return scope.every((id, i) => all[i] === id) ? (all[scope.length] ?? "") : "";
}

/** The first finding of a shown node; findings inside a composite count for its use. */
export function firstProblem(notes: Annotations, id: string, prefix: string): Problem | undefined {
  let first = byNode.get(notes)?.prefix === prefix ? byNode.get(notes)?.first : undefined;
  if (!first) {
    first = new Map();
    for (const problem of problems(notes)) {
      const top = shownAs(problem.node, prefix);
      if (top && !first.has(top)) first.set(top, problem);
    }
    byNode.set(notes, { prefix, first });
  }
  return first.get(id);
}
