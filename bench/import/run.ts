/**
 * `npm run bench -- import`: what `import('nestjs-snowflake')` costs, now and at an earlier commit. Each import is a fresh
 * process; both builds use the packages that are installed now, so that only the library differs.
 *
 * `--since <commit>`: the earlier commit; by default the last one without the entry points for HTTP, validation, …
 * `--runs <n>`: imports of each build, taken in turn; 40 by default.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { progress } from '../support/progress.js';
import { median, quantile } from '../support/quantile.js';
import { markdownTable } from '../support/table.js';
import { buildOf, type Build, copyOfNow } from './builds.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIRST_ENTRY_POINT = 'libs/snowflake/src/http/index.ts';
const IMPORT_WITHIN_MS = 60_000;
const run = promisify(execFile);

/** Milliseconds of CPU that the import takes, which other processes disturb less than its duration. The start of Node isn't part of it. */
async function importOnce(build: Build): Promise<number> {
  const script = `
    const before = process.cpuUsage();
    await import(${JSON.stringify(build.url)});
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: IMPORT_WITHIN_MS,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return Number(stdout);
}

interface Measured {
  readonly build: Build;
  readonly timesMs: number[];
}

/** Runs the builds in turn, each round beginning with another one, so that a disturbance affects all of them alike. */
async function measure(builds: readonly Build[], runs: number): Promise<Measured[]> {
  const measured = builds.map((build): Measured => ({ build, timesMs: [] }));
  const shown = progress('bench import', runs);
  for (let round = 0; round < runs; round += 1) {
    const first = round % measured.length;
    for (const { build, timesMs } of [...measured.slice(first), ...measured.slice(0, first)]) {
      timesMs.push(await importOnce(build));
    }
    shown.step(round + 1, `load ${loadText()}`);
  }
  shown.end();
  return measured;
}

/** The table; ratios are to the first build. */
function tableOf(measured: readonly Measured[]): string {
  const baseMs = median(measured[0]?.timesMs ?? []);
  const rows = measured.map(({ build, timesMs }) => {
    const medianMs = median(timesMs);
    const quartiles = [0.25, 0.75].map((share) => quantile(timesMs, share).toFixed(1)).join(' to ');
    return [build.name, medianMs.toFixed(1), quartiles, (medianMs / baseMs).toFixed(3)];
  });
  return markdownTable(['Build', 'Median ms', 'Quartiles ms', 'Ratio'], rows);
}

function loadText(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1);
}

async function commitBeforeEntryPoints(): Promise<string> {
  const { stdout } = await run('git', ['log', '--format=%H', '--diff-filter=A', '--', FIRST_ENTRY_POINT], {
    cwd: ROOT,
  });
  const added = stdout.trim().split('\n').at(-1);
  if (!added) throw new Error(`No commit adds ${FIRST_ENTRY_POINT}. Name a commit with --since.`);
  return `${added}^`;
}

const { values } = parseArgs({
  options: { since: { type: 'string' }, runs: { type: 'string', default: '40' } },
});
const since = values.since ?? (await commitBeforeEntryPoints());
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number, e.g. --runs 40');

const folder = mkdtempSync(join(tmpdir(), 'snowflake-import-'));
try {
  const earlier = await buildOf(since, folder);
  // The same build twice shows the noise of the host.
  const builds = [earlier, { ...earlier, name: `${earlier.name} again (control)` }, copyOfNow(folder)];
  const measured = await measure(builds, runs);
  const title = `import('nestjs-snowflake'), ${runs} fresh processes each, CPU time`;
  console.log(`${title}, Node ${process.version}, load ${loadText()}\n\n${tableOf(measured)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
