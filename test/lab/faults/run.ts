import { parseArgs } from 'node:util';
import { compileChildren, removeCompiledChildren } from '../../support/compile-children.js';
import { CONTROLS } from './controls.js';
import { SCENARIOS } from './scenarios/index.js';
import { cellsOf, table } from './support/report.js';
import { type Outcome, perform, performControl } from './support/scenario.js';

const USAGE = `npm run faults -- [options]
  --only TEXT   only scenarios and controls whose name contains TEXT
  --list        list the scenarios, and what users see`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Play {
  readonly name: string;
  readonly summary: string;
  readonly verdict: string;
  readonly perform: () => Promise<Outcome>;
}

const wanted = ({ name }: { readonly name: string }): boolean => name.includes(values.only);
const scenarios = SCENARIOS.filter(wanted).map((scenario) => ({
  name: scenario.name,
  summary: `users see ${scenario.userSees}`,
  verdict: 'as promised',
  perform: () => perform(scenario),
}));
const controls = CONTROLS.filter(wanted).map((control) => ({
  name: control.name,
  summary: control.because,
  verdict: 'caught',
  perform: () => performControl(control),
}));

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs them one after the other, and prints the progress. @returns lines of the table, and how many went wrong */
async function playAll(plays: readonly Play[]): Promise<{ rows: string[][]; failed: number }> {
  const rows: string[][] = [];
  let failed = 0;
  for (const [index, { name, verdict, perform: play }] of plays.entries()) {
    process.stdout.write(`[${index + 1}/${plays.length}] ${name} ... `);
    const outcome = await play();
    const isGood = outcome.problems.length === 0;
    print(`${isGood ? verdict : 'FAILED'} (${Math.round(outcome.tookMs / 1000)} s)`);
    for (const problem of outcome.problems) print(`    ${problem}`);
    if (!isGood) failed++;
    rows.push([name, ...cellsOf(outcome, isGood ? verdict : 'FAILED')]);
  }
  return { rows, failed };
}

async function main(): Promise<void> {
  compileChildren();
  process.on('exit', removeCompiledChildren);
  const ours = await playAll(scenarios);
  const broken = await playAll(controls);
  if (ours.rows.length > 0) print(`\n${table('scenario', ours.rows)}`);
  if (broken.rows.length > 0) print(`\n${table('control: broken on purpose', broken.rows)}`);
  const [failed, all] = [ours.failed + broken.failed, ours.rows.length + broken.rows.length];
  print(`\n${all - failed} as expected, ${failed} not`);
  process.exitCode = failed > 0 || all === 0 ? 1 : 0;
}

if (values.help) print(USAGE);
else if (values.list)
  for (const { name, summary } of [...scenarios, ...controls]) print(`${name}\n    ${summary}`);
else await main();
