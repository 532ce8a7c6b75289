import { parseArgs } from 'node:util';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { drawCharts } from '../charts/charts.js';
import { writeResults } from '../support/results.js';
import { DATABASE_NAMES, type DatabaseName } from './databases.js';
import { IssuedIds } from '../support/issued-ids.js';
import { keyKinds } from './key-kinds.js';
import { measureDatabase } from './measure-database.js';
import { reportOf } from './report.js';
import type { BenchResult, DatabaseResult } from './result.js';
import type { Plan } from './stage.js';

const USAGE = `npm run bench -- db [options]
  --databases NAMES   some of ${DATABASE_NAMES.join(',')}
  --rows COUNT        rows of the tables, 1,000,000 by default
  --rounds COUNT      rounds, 100 by default
  --quick             a smoke run with small tables
  --write             docs/bench/db.json and the charts, even though this is not the full run`;

const DEFAULT_ROWS = 1_000_000;

const { values } = parseArgs({
  options: {
    databases: { type: 'string', default: DATABASE_NAMES.join(',') },
    rows: { type: 'string', default: String(DEFAULT_ROWS) },
    rounds: { type: 'string', default: '100' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function chosenDatabases(): DatabaseName[] {
  const wanted = values.databases.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !DATABASE_NAMES.some((known) => known === name));
  if (unknown.length > 0)
    throw new Error(`--databases ${unknown.join(',')}: use ${DATABASE_NAMES.join(',')}`);
  return DATABASE_NAMES.filter((name) => wanted.includes(name));
}

function chosenPlan(): Plan {
  if (values.quick) return { tableRows: 1000, rounds: 1, singles: 2 };
  const tableRows = Number(values.rows);
  if (!Number.isSafeInteger(tableRows) || tableRows < 20_000) {
    throw new Error(`--rows ${values.rows}: use a count of 20000 or more`);
  }
  const rounds = Number(values.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 5) {
    throw new Error(`--rounds ${values.rounds}: use a count of 5 or more`);
  }
  return { tableRows, rounds, singles: 100 };
}

async function measure(ids: SnowflakeIdMaker): Promise<BenchResult> {
  const kinds = keyKinds(ids);
  const issued = new IssuedIds();
  const faults: string[] = [];
  const databases: DatabaseResult[] = [];
  for (const name of chosenDatabases()) {
    const measured = kinds.filter(({ only = [name] }) => only.includes(name));
    databases.push(await measureDatabase(name, measured, chosenPlan(), issued, faults));
  }
  return {
    baseKey: kinds[0]?.name ?? '',
    keys: kinds.map(({ name, label, says }) => ({ name, label, says })),
    databases,
    issuedIds: { total: issued.total, repeated: issued.repeated() },
    faults,
  };
}

/** Only a full run replaces what the documentation shows. */
function isToBeWritten(): boolean {
  const isFull =
    !values.quick &&
    chosenDatabases().length === DATABASE_NAMES.length &&
    Number(values.rows) >= DEFAULT_ROWS;
  return values.write || isFull;
}

async function main(): Promise<void> {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 1 }) });
  await ids.start();
  const result = await measure(ids);
  await ids.stop();
  process.stdout.write(`${reportOf(result)}\n`);
  if (isToBeWritten()) {
    await writeResults('db', result);
    await drawCharts();
  }
  if (result.issuedIds.repeated > 0 || result.faults.length > 0) process.exitCode = 1;
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await main();
