/** The direction of the source files: who may import whom, and no circles, imports of types included. */

import { expect, test } from "vitest";

const texts = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*)"(\.{1,2}\/[^"]+)"/g;

const pathOf = (file: string) => file.replace("../src/", "");
const files = Object.keys(texts).map(pathOf);

/** A path below src, from the folder of a file. */
const resolved = (file: string, path: string) => new URL(path, `file:///${file}`).pathname.slice(1);

/** What each source file imports of the others, as paths below src. */
const imports = new Map(
  Object.entries(texts).map(([key, text]) => {
    const file = pathOf(key);
    const paths = [...text.matchAll(IMPORT)].map(([, path = ""]) => resolved(file, path));
    return [file, paths.flatMap((path) => files.filter((f) => f === `${path}.ts` || f === `${path}.tsx`))];
  }),
);

/** A file that imports itself by way of others, with these; none when there is no circle. */
function circle(): string[] {
  const done = new Set<string>();
  const visit = (file: string, way: string[]): string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    done.add(file);
    for (const next of imports.get(file) ?? []) {
      const found = visit(next, [...way, file]);
      if (found.length) return found;
    }
    return [];
  };
  for (const file of files) {
    const found = visit(file, []);
    if (found.length) return found;
  }
  return [];
}

test("the imports of all files are found", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(imports.get("index.tsx")).toContain("components/App.tsx");
});

test("no file imports itself by way of others", () => expect(circle()).toEqual([]));

const ROOMS = ["protocol", "model", "store", "actions", "flow", "hooks", "components"];

test.each(ROOMS)("%s imports only itself and what lies below it", (room) => {
  const roomOf = (file: string) => file.split(/[/.]/)[0] as string;
  const below = ROOMS.slice(0, ROOMS.indexOf(room) + 1);
  const mine = [...imports].filter(([file]) => roomOf(file) === room);
  expect(mine).not.toEqual([]);
  expect(
    mine.flatMap(([file, all]) => all.filter((to) => !below.includes(roomOf(to))).map((to) => `${file} -> ${to}`)),
  ).toEqual([]);
});
