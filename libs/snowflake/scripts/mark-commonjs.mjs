/**
 * Marks the files of `dist/cjs` as CommonJS: the `type` of the package makes every other `.js` file an ES module.
 * Bundlers read `sideEffects` from the nearest package.json, so it is repeated.
 */
import { writeFileSync } from 'node:fs';

const file = new URL('../dist/cjs/package.json', import.meta.url);
writeFileSync(file, `${JSON.stringify({ type: 'commonjs', sideEffects: false })}\n`);
