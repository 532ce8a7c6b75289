import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIBRARY = 'libs/snowflake';
const MAIN = `${LIBRARY}/dist/esm/index.js`;
const BUILD_WITHIN_MS = 300_000;
const run = promisify(execFile);

/** A build of the library, and its main entry point. */
export interface Build {
  readonly name: string;
  readonly url: string;
}

/** Copies the build of this repository into `parent`, because the place of a file has a part in the time. */
export function copyOfNow(parent: string): Build {
  const folder = projectIn(parent, 'now');
  for (const part of ['package.json', 'dist']) {
    cpSync(join(ROOT, LIBRARY, part), join(folder, LIBRARY, part), { recursive: true });
  }
  return { name: 'now', url: pathToFileURL(join(folder, MAIN)).href };
}

/** Builds the library of a commit in `parent`. */
export async function buildOf(commit: string, parent: string): Promise<Build> {
  const { stdout } = await run('git', ['rev-parse', '--short', commit], { cwd: ROOT });
  const folder = projectIn(parent, stdout.trim());
  const archive = join(folder, 'library.tar');
  const sources = [LIBRARY, 'package.json', 'tsconfig.base.json'];
  await run('git', ['archive', `--output=${archive}`, commit, ...sources], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  const script = join(folder, LIBRARY, 'scripts/build.mjs');
  await run(process.execPath, [script], { cwd: folder, timeout: BUILD_WITHIN_MS });
  return { name: stdout.trim(), url: pathToFileURL(join(folder, MAIN)).href };
}

/** Makes a folder that sees the packages of this repository. */
function projectIn(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}
