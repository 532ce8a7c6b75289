import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const ROOT = import.meta.dirname;

/** The entry points of a package, with their sources instead of the build. */
function sourcesOf(folder) {
  const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  return Object.entries(manifest.exports).flatMap(([key, target]) => {
    const built = target.import?.default;
    if (built === undefined) return [];
    const source = built.replace('./dist/esm/', 'src/').replace(/\.js$/, '.ts');
    return [
      { find: new RegExp(`^${manifest.name}${key.slice(1)}$`), replacement: join(ROOT, folder, source) },
    ];
  });
}

/** As Node does, and unlike Vite: an optional peer that is not installed is not found where it is imported. */
const peersThatAreAbsent = {
  name: 'peers-that-are-absent',
  enforce: 'pre',
  resolveId: { filter: { id: /^better-sqlite3$/ }, handler: (id) => ({ id, external: true }) },
};

/** All specs. The tiers in `test/tiers` run parts of them. */
export default defineConfig({
  root: ROOT,
  plugins: [peersThatAreAbsent],
  resolve: {
    alias: readdirSync(join(ROOT, 'libs')).flatMap((name) => sourcesOf(`libs/${name}`)),
    // As in Node, `"main": "index"` is index.js. Vite would load the index.mjs beside it, and so the package a second time.
    extensions: ['.js', '.mjs', '.ts', '.json'],
  },
  test: {
    globals: true,
    // Also how much of a value a title shows, which holds alone only as a whole. Vitest's own 40 characters are too few.
    chaiConfig: { truncateThreshold: 200 },
    // What a test prints is shown if it fails.
    silent: 'passed-only',
    include: ['{libs,apps,test}/**/*.spec.ts'],
    // The apps there run their specs themselves.
    exclude: ['**/node_modules/**', 'test/lab/consumers/*/**'],
    pool: 'forks',
    // browsers.spec.ts loads modules into a context that has nothing of Node.
    execArgv: ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning'],
    maxWorkers: 2,
    globalSetup: 'test/support/global-setup.mjs',
    reporters: ['default', './test/support/closing-line-reporter.mjs'],
    // A test waits for states, not for time. This bound is for what never comes; nobody raises it.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
