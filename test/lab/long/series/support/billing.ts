import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeriesTables, Series, SeriesSubscriber, type SeriesAudit } from 'nestjs-snowflake-series';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { spawnChild, type TestChild } from '../../../../support/child.js';
import { waitFor } from '../../../../support/wait.js';
import type { BillingJob, Way } from './billing-job.js';
import {
  Invoice,
  optionsFor,
  type Driver,
} from '../../../../../libs/snowflake-series/test/support/invoices.js';

const BILLER = new URL('../children/biller.ts', import.meta.url);
const TIMEOUT_MS = 240_000;

export interface Plan {
  readonly driver: Driver;
  readonly way: Way;
  readonly processes: number;
  readonly atATime: number;
  /** Transactions of each process. */
  readonly transactions: number;
  /** How many processes are killed in the middle, and replaced. */
  readonly killed: number;
}

/** What the documents show afterwards. */
export interface Verdict {
  readonly documents: number;
  /** Periods and scopes with a document. */
  readonly counters: number;
  /** `scope number` of each number that is missing below the largest one. */
  readonly gaps: readonly string[];
  readonly duplicates: readonly string[];
  /** Numbers whose COMMIT a process saw, and that no document has. */
  readonly lost: readonly string[];
  readonly audits: readonly SeriesAudit[];
}

/** Lets processes write invoices, kills some, and checks the documents that are left. */
export async function runBilling(plan: Plan, test: string): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-billing-'));
  const [options, remove] = await optionsFor(plan.driver, test);
  const entities = [Invoice];
  const made = new DataSource({
    ...options,
    entities,
    subscribers: [SeriesSubscriber],
    synchronize: true,
  } as DataSourceOptions);
  const dataSource = await made.initialize();
  const children: TestChild[] = [];
  try {
    await createSeriesTables(dataSource);
    const logs = await runProcesses(plan, placeOf(options), folder, children);
    return await verdictOf(dataSource, logs);
  } finally {
    await Promise.all(children.map((child) => child.kill()));
    await dataSource.destroy();
    remove();
    rmSync(folder, { recursive: true });
  }
}

function placeOf(options: DataSourceOptions): string {
  return String('url' in options ? options.url : options.database);
}

async function runProcesses(
  plan: Plan,
  place: string,
  folder: string,
  children: TestChild[],
): Promise<string[]> {
  const { driver, way, transactions, atATime } = plan;
  const logs: string[] = [];
  const spawn = (): TestChild => {
    const logFile = join(folder, `process-${logs.length}`);
    logs.push(logFile);
    const job: BillingJob = { driver, place, way, transactions, atATime, logFile };
    const child = spawnChild(BILLER, { args: [JSON.stringify(job)] });
    children.push(child);
    return child;
  };
  const running = Array.from({ length: plan.processes }, spawn);
  for (const [at, victim] of running.slice(0, plan.killed).entries()) {
    await waitFor('some invoices', TIMEOUT_MS, () => linesOf(logs[at]).length > transactions / 4);
    await victim.kill();
    running[at] = spawn();
  }
  const isDone = (message: unknown): message is string => message === 'done';
  await Promise.all(running.map((child) => child.next(isDone, TIMEOUT_MS)));
  return logs;
}

function linesOf(file = ''): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

async function verdictOf(dataSource: DataSource, logs: readonly string[]): Promise<Verdict> {
  const rows = await dataSource.manager.find(Invoice);
  const numbers = new Map<string, number[]>();
  for (const { tenantId, number } of rows) {
    const counter = `${tenantId} ${number.slice(0, -5)}`;
    numbers.set(counter, [...(numbers.get(counter) ?? []), Number(number.slice(-5))]);
  }
  const found = [...numbers].map(([counter, taken]) => {
    const distinct = new Set(taken);
    const all = Array.from({ length: Math.max(...taken) }, (_, index) => index + 1);
    return {
      gaps: all.filter((number) => !distinct.has(number)).map((number) => counter + number),
      duplicates: all
        .filter((number) => taken.filter((each) => each === number).length > 1)
        .map((number) => counter + number),
    };
  });
  const stored = new Set(rows.map(({ tenantId, number }) => `${tenantId} ${number}`));
  return {
    documents: rows.length,
    counters: numbers.size,
    gaps: found.flatMap(({ gaps }) => gaps),
    duplicates: found.flatMap(({ duplicates }) => duplicates),
    lost: logs.flatMap(linesOf).filter((line) => !stored.has(line)),
    audits: await new Series().audit('invoice', { manager: dataSource.manager }),
  };
}
