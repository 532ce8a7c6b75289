/**
 * `npm run bench:import`: how long `import('nestjs-snowflake')` takes, now and at an earlier commit. Each import is a fresh
 * process; both builds use the packages that are installed now, so that only the library differs.
 *
 * `--since <commit>`: the earlier commit. Default: the last one without the entry points for HTTP, validation, …
 * `--runs <n>`: imports of each build, taken in turn. Default 40.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { progress } from '../support/progress.js';
import { markdownTable } from '../support/table.js';
import { buildOf, type Build, copyOfNow } from './builds.js';
import { type Figures, figuresOf } from './figures.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIRST_DOOR = 'libs/snowflake/src/http/index.ts';
const IMPORT_WITHIN_MS = 60_000;
const run = promisify(execFile);

/** Milliseconds until the import has settled. The start of Node isn't part of it. */
async function importOnce(build: Build): Promise<number> {
  const script = `const start = performance.now(); await import(${JSON.stringify(build.url)}); console.log(performance.now() - start);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: IMPORT_WITHIN_MS,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return Number(stdout);
}

/** Takes turns, and begins each round with another build, so that a busy moment hits all of them alike. */
async function measure(builds: readonly Build[], runs: number): Promise<Figures[]> {
  const times = builds.map((): number[] => []);
  const shown = progress('bench:import', runs);
  for (let round = 0; round < runs; round += 1) {
    for (let turn = 0; turn < builds.length; turn += 1) {
      const index = (round + turn) % builds.length;
      times[index]?.push(await importOnce(builds[index]!));
    }
    shown.step(round + 1, `load ${loadavg()[0]?.toFixed(1)}`);
  }
  shown.end();
  return times.map(figuresOf);
}

async function commitBeforeDoors(): Promise<string> {
  const { stdout } = await run('git', ['log', '--format=%H', '--diff-filter=A', '--', FIRST_DOOR], {
    cwd: ROOT,
  });
  const added = stdout.trim().split('\n').at(-1);
  if (!added) throw new Error(`No commit adds ${FIRST_DOOR}. Name a commit with --since.`);
  return `${added}^`;
}

const { values } = parseArgs({
  options: { since: { type: 'string' }, runs: { type: 'string', default: '40' } },
});
const since = values.since ?? (await commitBeforeDoors());
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number, e.g. --runs 40');

const folder = mkdtempSync(join(tmpdir(), 'snowflake-import-'));
try {
  const earlier = await buildOf(since, folder);
  // The same build twice shows how far the noise of the machine goes.
  const builds = [earlier, { ...earlier, name: `${earlier.name} again (control)` }, copyOfNow(folder)];
  await measure(builds, 3);
  const [base, ...others] = await measure(builds, runs);
  const rows = [base!, ...others].map(({ medianMs, lowMs, highMs }, index) => [
    builds[index]!.name,
    medianMs.toFixed(1),
    `${lowMs.toFixed(1)} to ${highMs.toFixed(1)}`,
    (medianMs / base!.medianMs).toFixed(3),
  ]);
  console.log(
    `import('nestjs-snowflake'), ${runs} fresh processes each, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  console.log(markdownTable(['Build', 'Median ms', 'Quartiles ms', 'Ratio'], rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
