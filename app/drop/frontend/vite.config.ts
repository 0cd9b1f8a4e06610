import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../../static/drop",
    emptyOutDir: true,
    rolldownOptions: {
      input: "src/index.ts",
      preserveEntrySignatures: "strict",
      output: { format: "es", entryFileNames: "drop-[hash].js" },
    },
  },
});
