import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../../static/shell",
    emptyOutDir: true,
    rolldownOptions: {
      input: { shell: "src/index.ts", scheme: "src/scheme.ts" },
      preserveEntrySignatures: "strict",
      output: { format: "es", entryFileNames: "[name]-[hash].js" },
    },
  },
});
