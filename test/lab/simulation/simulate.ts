import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Job, runJobs } from './job-pool.js';
import { FAULT_CLASSES, faultClass } from './faults.js';
import { PROTOCOLS, protocolNamed, REMOVALS } from './protocols/index.js';
import { reportFailedShares, reportHead, reportLine, reportTable } from './report.js';
import { simulate } from './simulation.js';
import { problemOf, Tally } from './tally.js';

const USAGE = `npm run simulate -- [options]
  --seeds N        runs, dealt out to the fault classes in turn (default 280)
  --first N        the first seed (default 1)
  --fault NAME     only this fault class
  --protocol NAME  another protocol than ours
  --seed N         one seed, with --fault; with --trace everything that happens
  --controls       a table of all protocols; --seeds is then per cell (default 6)
  --processes N    default: one per processor
fault classes: ${FAULT_CLASSES.map(({ name }) => name).join(', ')}
protocols: ${PROTOCOLS.map(({ name }) => name).join(', ')}`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    first: { type: 'string', default: '1' },
    fault: { type: 'string' },
    protocol: { type: 'string', default: 'ours' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    controls: { type: 'boolean', default: false },
    processes: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
});

// Whoever reads the output may have seen enough of it.
process.stdout.on('error', () => process.exit());

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name} ${text}: use a whole number from 1 up`);
  return value;
}

const faults = values.fault === undefined ? FAULT_CLASSES : [faultClass(values.fault)];
const first = whole('first', values.first);

/** Runs all jobs, with a progress bar on a terminal. */
async function tallyAll(jobs: readonly Job[]): Promise<Map<string, Tally>> {
  const tallies = new Map<string, Tally>();
  let finished = 0;
  const isTerminal = process.stdout.isTTY;
  await runJobs(jobs.values(), whole('processes', values.processes), (job, outcome) => {
    const key = keyOf(job.protocol, job.fault);
    const tally = tallies.get(key) ?? new Tally();
    tallies.set(key, tally);
    tally.add(outcome);
    finished++;
    if (!isTerminal) return;
    const filled = Math.round((40 * finished) / jobs.length);
    process.stdout.write(`\r[${'#'.repeat(filled)}${' '.repeat(40 - filled)}] ${finished}/${jobs.length}`);
  });
  if (isTerminal) process.stdout.write('\r\u001b[K');
  return tallies;
}

function keyOf(protocol: string, fault: string): string {
  return `${protocol} under ${fault}`;
}

async function runOne(seed: number): Promise<void> {
  const [fault] = faults;
  if (values.fault === undefined || !fault)
    throw new Error('--seed needs --fault: the class that the seed was run with');
  const trace = values.trace ? print : undefined;
  const { verdict } = await simulate({ seed, fault, protocol: protocolNamed(values.protocol), trace });
  print(JSON.stringify(verdict));
  const problem = problemOf(verdict);
  if (problem) fail(problem);
}

async function runMany(): Promise<void> {
  const { name } = protocolNamed(values.protocol);
  const jobs = Array.from({ length: whole('seeds', values.seeds ?? '280') }, (_, index) => ({
    seed: first + index,
    fault: faults[index % faults.length]!.name,
    protocol: name,
  }));
  const tallies = await tallyAll(jobs);
  print(reportHead());
  for (const fault of faults) {
    const tally = tallies.get(keyOf(name, fault.name));
    if (!tally) continue;
    print(reportLine(fault.name, tally));
    for (const seed of tally.failingSeeds.slice(0, 5)) {
      fail(`replay: npm run simulate -- --fault ${fault.name} --seed ${seed} --protocol '${name}' --trace`);
    }
  }
}

async function runControls(): Promise<void> {
  const seeds = whole('seeds', values.seeds ?? '6');
  const names = PROTOCOLS.map((protocol) => protocol.name);
  const jobs = faults.flatMap((fault) =>
    names.flatMap((protocol) =>
      Array.from({ length: seeds }, (_, index) => ({ seed: first + index, fault: fault.name, protocol })),
    ),
  );
  const tallies = await tallyAll(jobs);
  const faultNames = faults.map((fault) => fault.name);
  const tallyOf = (protocol: string, fault: string): Tally | undefined => tallies.get(keyOf(protocol, fault));
  print(`Duplicates per million IDs, ${seeds} seeds each`);
  print(reportTable(names, faultNames, tallyOf));
  const forLiveness = REMOVALS.filter(({ purpose }) => purpose === 'liveness').map(({ name }) => name);
  print('\nShare of failed attempts to generate IDs, for mechanisms that are there for liveness only');
  print(reportFailedShares(['ours', ...forLiveness], faultNames, tallyOf));
  const failing = faultNames.filter((fault) => (tallyOf('ours', fault)?.failingSeeds.length ?? 0) > 0);
  if (failing.length > 0) fail(`ours fails under ${failing.join(', ')}`);
}

function fail(line: string): void {
  print(`FAILED ${line}`);
  process.exitCode = 1;
}

if (values.help) print(USAGE);
else if (values.seed !== undefined) await runOne(whole('seed', values.seed));
else if (values.controls) await runControls();
else await runMany();
