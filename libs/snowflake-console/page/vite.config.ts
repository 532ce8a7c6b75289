import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  // Relative addresses let the page live under any path, behind any proxy.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: { 'nestjs-snowflake/core': at('../../snowflake/src/core/index.ts') },
  },
  build: {
    outDir: at('../dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The other files need nothing that the first view lacks.
      resolveDependencies: (_file, dependencies, { hostType }) => (hostType === 'html' ? dependencies : []),
    },
    // What the pages share is one file: the first view needs all of it, and many small files compress worse.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } } },
    cssMinify: 'esbuild',
  },
});
