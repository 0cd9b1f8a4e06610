import { defineConfig, type Plugin } from "vite";

const PACKAGES = [
  ...["autocomplete", "commands", "lang-python", "language", "lint", "state", "view"].map(
    (name) => `@codemirror/${name}`,
  ),
  ...["common", "highlight", "lr", "python"].map((name) => `@lezer/${name}`),
  "@marijn/find-cluster-break",
  "crelt",
  "style-mod",
  "w3c-keyname",
];

/** Write the licence texts the minifier strips beside the bundle. */
function licences(names: string[]): Plugin {
  return {
    name: "licences",
    async generateBundle() {
      const { readFile } = await import("node:fs/promises");
      const texts = names.map(async (name) => {
        const folder = new URL(`./node_modules/${name}/`, import.meta.url);
        const { version } = JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
        return `${name} ${version}\n\n${await readFile(new URL("LICENSE", folder), "utf8")}`;
      });
      const source = (await Promise.all(texts)).join("\n----------\n\n");
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source });
    },
  };
}

export default defineConfig({
  plugins: [licences(PACKAGES)],
  build: {
    outDir: "../../static/code_editor",
    emptyOutDir: true,
    rolldownOptions: {
      input: "src/index.ts",
      preserveEntrySignatures: "strict",
      output: { format: "es", entryFileNames: "code_editor-[hash].js" },
    },
  },
});
