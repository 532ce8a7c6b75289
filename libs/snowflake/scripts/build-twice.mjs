/**
 * Compiles a package. A library is compiled twice, side by side: ES modules into `dist/esm`, CommonJS into `dist/cjs`. The last
 * build is removed first, because a file whose source is gone would be packed. The second pass checks no types (`noCheck`), since
 * the first does.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/**
 * @param {URL} folder the package, with `tsconfig.lib.json` and `tsconfig.cjs.json`
 * @param {Record<string, [from: string, to: string]>} replaced what a file of `dist/cjs` has in place of an import with `#`. Node looks
 *   for such a name in the nearest package.json, and that of `dist/cjs` can't name a file above it.
 */
export async function buildTwice(folder, replaced = {}) {
  for (const kind of ['esm', 'cjs'])
    rmSync(new URL(`dist/${kind}`, folder), { recursive: true, force: true });
  await Promise.all(['tsconfig.lib.json', 'tsconfig.cjs.json'].map((project) => compile(folder, project)));
  // The `type` of the package makes every other `.js` file an ES module. Bundlers read `sideEffects` from the nearest
  // package.json, so it is repeated.
  const manifest = { type: 'commonjs', sideEffects: false };
  writeFileSync(new URL('dist/cjs/package.json', folder), `${JSON.stringify(manifest)}\n`);
  for (const [path, [from, to]] of Object.entries(replaced)) {
    const file = new URL(`dist/cjs/${path}`, folder);
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(from, () => to),
    );
  }
}

/**
 * Compiles a program, which nobody imports, into `dist`: as ES modules only.
 *
 * @param {URL} folder the package, with `tsconfig.lib.json`
 */
export async function buildOnce(folder) {
  rmSync(new URL('dist', folder), { recursive: true, force: true });
  await compile(folder, 'tsconfig.lib.json');
}

async function compile(folder, project) {
  const child = spawn(process.execPath, [compiler, '-p', fileURLToPath(new URL(project, folder))], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
}
