import { defineConfig } from "vite";

// File names carry no hash and sit flat beside index.html, so that a rebuild of the same source
// gives the same tree and the server needs one rule for all of them.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../static",
    emptyOutDir: true,
    sourcemap: false,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: ({ names }) => (names[0]?.endsWith(".css") ? "page.css" : "[name][extname]"),
      },
    },
  },
});
