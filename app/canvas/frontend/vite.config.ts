import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { licences } from "./licences.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react(), licences(here("."))],
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    outDir: here("../../static/canvas"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    rolldownOptions: {
      input: here("src/index.tsx"),
      preserveEntrySignatures: "strict",
      output: { format: "es", entryFileNames: "canvas-[hash].js", codeSplitting: false },
    },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node", testTimeout: 60_000 },
});
