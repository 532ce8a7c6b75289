/**
 * A report, never red: which altered lines of the library its unit specs notice.
 *
 *     npm run mutants                                  the usual sample
 *     npm run mutants -- --file lease --sample 40      of the files whose path contains it
 *
 * An altered line exists in memory only (specs-runner.mjs). A survivor is a place to think about: a missing test, code that
 * nothing needs, or a change that makes no difference.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './mutants.js';
import { Runner, type Selection, type Verdict } from './runner.js';
import { type Subject, subjectOf, SUBJECTS } from './subjects.js';

const USAGE = `npm run mutants -- [options]
  --sample N    how many mutants (default 180)
  --seed S      which ones (default 1)
  --file PART   only of files whose path contains PART
  --list        print them and run nothing`;

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '180' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.ts'))
    .toSorted();
}

/** The mutants with the lowest hashes, so that the others of a sample stay when a line changes. */
function sampleOf(mutants: readonly Mutant[], seed: string, size: number): Mutant[] {
  const rank = ({ id }: Mutant): string => createHash('sha1').update(`${seed}|${id}`).digest('hex');
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.start - b.start);
}

function titleOf({ id, file, line, original, replacement }: Mutant): string {
  const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
  return `${file}:${line} ${id}  ${flat(original) || '{'}  →  ${flat(replacement)}`;
}

const PACKAGES = ['libs/snowflake', 'libs/snowflake-segments', 'libs/snowflake-series'];
const sources = PACKAGES.flatMap((folder) => filesOf(`${folder}/src`));
const specs = [...sources, ...['libs/snowflake-series/test', 'test/integration'].flatMap(filesOf)];
const selectionOf = ({ specs: patterns, only }: Subject): Selection => ({
  specs: [...new Set(patterns.flatMap((pattern) => specs.filter((file) => pattern.test(file))))],
  only,
});

const all = sources
  .filter((file) => !file.endsWith('.spec.ts') && subjectOf(file) && file.includes(values.file))
  .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')));
const sample = sampleOf(all, values.seed, Number(values.sample));

/** @throws if a spec fails without a mutant: every mutant would count as killed then */
async function requireGreen(runner: Runner): Promise<void> {
  const used = new Set(sample.map(({ file }) => subjectOf(file)));
  for (const subject of SUBJECTS.filter((each) => used.has(each))) {
    const verdict = await runner.run(undefined, selectionOf(subject));
    if (verdict.outcome !== 'survived') throw new Error(`Fails without a mutant: ${JSON.stringify(verdict)}`);
  }
}

async function runSample(): Promise<Map<Mutant, Verdict>> {
  const runner = new Runner(ROOT);
  const verdicts = new Map<Mutant, Verdict>();
  try {
    await requireGreen(runner);
    for (const mutant of sample) {
      const subject = subjectOf(mutant.file);
      if (!subject) continue;
      const verdict = await runner.run(mutant, selectionOf(subject));
      verdicts.set(mutant, verdict);
      const by = verdict.outcome === 'killed' ? `  by: ${verdict.by.split('\n')[0]}` : '';
      print(`${verdict.outcome.padEnd(9)} ${titleOf(mutant)}${by}`);
    }
  } finally {
    await runner.stop();
  }
  return verdicts;
}

async function report(): Promise<void> {
  const startMs = Date.now();
  const verdicts = await runSample();
  const survivors = [...verdicts].filter(([, { outcome }]) => outcome === 'survived');
  print(`\nSurvivors:`);
  for (const [mutant] of survivors) print(titleOf(mutant));
  const count = (outcome: Verdict['outcome']): number =>
    [...verdicts.values()].filter((verdict) => verdict.outcome === outcome).length;
  print(
    `\nOf ${verdicts.size} mutants (of ${all.length}): ${count('killed')} killed, ${count('timed out')} timed out, ` +
      `${count('survived')} survived, in ${Math.round((Date.now() - startMs) / 1000)} s`,
  );
}

if (values.help) print(USAGE);
else if (values.list) for (const mutant of sample) print(titleOf(mutant));
else await report();
