/** Node ids: the same rules as core/graph/names.py (the reserved words and the reasons come from there). */

import type { Catalogue } from "./catalogue";

const ID = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/** Why `name` cannot be a node's id; "" when it can. */
export function idProblem(name: string, catalogue: Catalogue, taken: object): string {
  if (!ID.test(name)) {
    return "Start with a letter (a to z), then letters, digits or _; at most 40 characters.";
  }
  if (catalogue.taken(name)) return `${name} is ${catalogue.taken(name)}; choose another.`;
  return Object.hasOwn(taken, name) ? `${name} is already the id of another node.` : "";
}

/** The stem of ids for a block: conv for Conv2d. */
export function stem(block: string, catalogue: Catalogue): string {
  const own = Object.hasOwn(catalogue.json.stems, block) ? catalogue.json.stems[block] : undefined;
  return (
    own ||
    block
      .replace(/[^A-Za-z0-9_]/g, "")
      .toLowerCase()
      .slice(0, 30) ||
    "node"
  );
}

/** The first free id with this stem; a stem that could never be an id is mended first. */
export function freshId(base: string, catalogue: Catalogue, taken: object): string {
  if (catalogue.json.alone.includes(base) && !idProblem(base, catalogue, taken)) return base;
  const stem =
    base
      .replace(/[^A-Za-z0-9_]/g, "")
      .replace(/^[^A-Za-z]+/, "")
      .slice(0, 30) || "node";
  for (let number = 1; ; number++) {
    const name = `${stem}${number}`;
    if (!idProblem(name, catalogue, taken)) return name;
  }
}
