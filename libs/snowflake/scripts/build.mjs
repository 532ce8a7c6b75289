/**
 * Builds the library twice, side by side: ES modules into `dist/esm`, CommonJS into `dist/cjs`. The last build is removed
 * first, because a file whose source is gone would be packed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = new URL('../', import.meta.url);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

async function compile(project) {
  const child = spawn(process.execPath, [compiler, '-p', fileURLToPath(new URL(project, folder))], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
}

rmSync(new URL('dist', folder), { recursive: true, force: true });
await Promise.all(['tsconfig.lib.json', 'tsconfig.cjs.json'].map(compile));
// The `type` of the package makes every other `.js` file an ES module. Bundlers read `sideEffects` from the nearest
// package.json, so it is repeated.
const manifest = { type: 'commonjs', sideEffects: false };
writeFileSync(new URL('dist/cjs/package.json', folder), `${JSON.stringify(manifest)}\n`);
// As npm does where it installs the package.
chmodSync(new URL('dist/esm/cli/main.js', folder), 0o755);
