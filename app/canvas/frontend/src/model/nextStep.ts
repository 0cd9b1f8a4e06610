/** What to do next in a drawing that somebody has only begun; nothing is wrong with it. */

/** What is not yet there in such a drawing. */
const UNFINISHED = new Set(["no_input", "no_output", "unused_input", "unused_result"]);

interface Findings {
  errors: readonly { code: string }[];
  warnings: readonly { code: string }[];
}

/** What to do next where a drawing lacks its end and nothing else is wrong; "" else. */
export function nextStep({ errors, warnings }: Findings, nodes: Readonly<Record<string, unknown>>): string {
  const all = [...errors, ...warnings];
  if (!errors.some((e) => e.code === "no_output") || !all.every((f) => UNFINISHED.has(f.code))) return "";
  return Object.keys(nodes).length < 3 ? "next: add a layer" : "next: add an Output";
}
