import path from 'node:path';
import { defineConfig } from 'vite';

/** Bundles the console for browsers, into `site/`. `scripts/console.mjs` runs it; the gateway serves the result below /console/. */
export default defineConfig({
  root: import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname),
  base: '/console/',
  publicDir: false,
  logLevel: 'warn',
  // tsconfig.json names what tsc needs; these lines say the same to the bundler
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'site',
    emptyOutDir: true,
    target: 'es2023',
    // strict CSP: no data: scripts or styles, no inline polyfill
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // the schemas of all events (52 kB compressed), loaded when an auditor verifies evidence
    chunkSizeWarningLimit: 700,
    sourcemap: false,
    manifest: true,
  },
});
