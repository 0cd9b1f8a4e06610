/** Writes the licence texts of everything in the bundle beside it: the minifier strips them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const FOLDER = /node_modules\/((?:@[^/]+\/)?[^/]+)\//g;

function folders(modules: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const id of modules) {
    const names = [...id.matchAll(FOLDER)];
    const last = names[names.length - 1];
    if (last) found.add(id.slice(id.indexOf("node_modules"), last.index + last[0].length - 1));
  }
  return [...found].sort();
}

function text(folder: string): string {
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${about.name} comes without a licence text`);
  const body = readFileSync(join(folder, file), "utf8").trim().replace(/\r/g, "");
  return `${about.name} ${about.version} (${about.license})\n\n${body}\n`;
}

export function licences(root: string): Plugin {
  return {
    name: "licences",
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((c) => (c.type === "chunk" ? c.moduleIds : []));
      // @dagrejs/graphlib is inside dagre's own file, under the same licence text.
      const parts = folders(modules).map((f) => join(root, f)).filter(existsSync).map(text);
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: parts.join(`\n${"-".repeat(78)}\n\n`) });
    },
  };
}
