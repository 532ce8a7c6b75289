/**
 * `npm run model`: checks the protocol exhaustively in small scopes, then without one rule at a time.
 *
 *   node test/lab/model/run-model.mjs [--bounded] [--traces] [name …]
 *
 * `--bounded`: only what the tests run. `--traces`: the shortest story of each duplicate. Names select mutations.
 * Exit code 1 when the protocol is violated, a removed rule is not missed, or a search could not be finished.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { check, provideChecker } from './checker.mjs';
import { describeScope, LIVENESS_RULES, MUTATIONS, PROOFS } from './scopes.mjs';

const PROOF_WITHIN_MS = 20 * 60_000;
const MUTATION_WITHIN_MS = 5 * 60_000;

const printLine = (line) => process.stdout.write(`${line}\n`);

const proofTask = ({ name, scope, merged = true }) => ({
  name,
  scope,
  expected: 'clean',
  search: { scope, extra: merged ? ['REDUCED', 'PROOF'] : [], shortest: false, withinMs: PROOF_WITHIN_MS },
});

const mutationTask = ({ name, removes, scope, exact = true }) => ({
  name: `${name}: ${removes}`,
  scope,
  expected: 'violated',
  search: {
    scope,
    extra: [name, ...(exact ? ['REDUCED'] : [])],
    shortest: true,
    withinMs: MUTATION_WITHIN_MS,
  },
});

const livenessTask = ({ name, removes, scope, why }) => ({
  name: `${name}: ${removes}`,
  scope,
  why,
  expected: 'clean',
  search: { scope, extra: [name, 'REDUCED'], shortest: false, withinMs: MUTATION_WITHIN_MS },
});

function tasks({ bounded, names }) {
  const wanted = ({ name }) => names.length === 0 || names.includes(name);
  return [
    [
      'The protocol',
      PROOFS.filter((proof) => names.length === 0 && (!bounded || proof.bounded)).map(proofTask),
    ],
    [
      'Without one rule: a duplicate must be found',
      MUTATIONS.filter((mutation) => wanted(mutation) && !(bounded && mutation.fullOnly)).map(mutationTask),
    ],
    [
      'Without a rule of liveness: still no duplicate',
      LIVENESS_RULES.filter((rule) => wanted(rule) && !bounded).map(livenessTask),
    ],
  ];
}

const WORDS = { clean: 'no duplicate', violated: 'duplicate', unfinished: 'NOT FINISHED' };

const HEADING = `${'states'.padStart(10)} ${'depth'.padStart(7)} ${'seconds'.padStart(8)} ${'MB'.padStart(6)}  result`;

function row({ name, scope, expected, why }, result) {
  const { outcome, states, depth, seconds, megabytes } = result;
  const figures = [
    String(states).padStart(10),
    String(depth).padStart(7),
    seconds.toFixed(1).padStart(8),
    megabytes.toFixed(0).padStart(6),
  ].join(' ');
  const verdict = outcome === expected ? WORDS[outcome] : `${WORDS[outcome]}, expected: ${WORDS[expected]}`;
  const notes = [describeScope(scope), ...(why ? [why] : [])].map((note) => `\n${' '.repeat(36)}${note}`);
  return `${figures}  ${verdict}: ${name}${notes.join('')}`;
}

/**
 * Runs every task one after the other.
 *
 * @returns one `{ name, expected, outcome, states, story }` a task
 */
export async function runModel({ bounded = false, traces = false, names = [] } = {}, print = printLine) {
  await provideChecker();
  const folder = await mkdtemp(join(tmpdir(), 'lease-model-'));
  const results = [];
  try {
    for (const [title, list] of tasks({ bounded, names })) {
      if (list.length > 0) print(`\n${title}\n${HEADING}`);
      for (const task of list) {
        const result = await check(join(folder, String(results.length)), task.search);
        const isSurprise = result.outcome !== task.expected;
        print(row(task, result));
        if (traces || (isSurprise && result.story.length > 0))
          for (const line of result.story) print(`${' '.repeat(38)}${line}`);
        if (result.outcome === 'unfinished') print(result.output.slice(-2000));
        results.push({ name: task.name, expected: task.expected, ...result });
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { bounded: { type: 'boolean' }, traces: { type: 'boolean' } },
    allowPositionals: true,
  });
  const results = await runModel({ ...values, names: positionals });
  const failed = results.filter(({ outcome, expected }) => outcome !== expected);
  printLine(`\n${results.length - failed.length} as expected, ${failed.length} not`);
  if (failed.length > 0 || results.length === 0) process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
