/** A process that writes invoices in many transactions at a time. It sends `done` at the end, unless it is killed. */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { Series, SeriesConflictError, SeriesSubscriber } from 'nestjs-snowflake-series';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { NEW_YEAR_MS, ROLLED_BACK_OF, SCOPES, type BillingJob } from '../support/billing-job.js';
import { Invoice, sqliteOptions } from '../../../../../libs/snowflake-series/test/support/invoices.js';

class Abandoned extends Error {}

const job = JSON.parse(process.argv[2] ?? '') as BillingJob;
// A connection for each transaction, so that the database, not the pool, lets them take turns.
const server = { type: job.driver, url: job.place, poolSize: job.atATime } as DataSourceOptions;
const options = job.driver === 'sqlite' ? sqliteOptions(job.place) : server;
const made = new DataSource({
  ...options,
  entities: [Invoice],
  subscribers: [SeriesSubscriber],
} as DataSourceOptions);
const dataSource = await made.initialize();
const series = new Series();

/** Each number is that of a transaction of its own: a rollback does not take it back. */
async function numberBefore(tenantId: string, date: Date): Promise<string> {
  const outside = { scope: tenantId, date };
  return series.transaction(
    dataSource,
    async (manager) => (await series.next('invoice', { ...outside, manager })).text,
  );
}

/** Two transactions that read at the same time read the same. */
async function numberAfterLargest(manager: EntityManager, tenantId: string): Promise<string> {
  const found = await manager
    .createQueryBuilder(Invoice, 'invoice')
    .select('MAX(invoice.number)', 'last')
    .where({ tenantId })
    .getRawOne<{ readonly last: string | null }>();
  const last = Number(found?.last?.slice(-5) ?? 0);
  return `INV-2026-${String(last + 1).padStart(5, '0')}`;
}

async function insert(manager: EntityManager, row: object): Promise<void> {
  await manager.createQueryBuilder().insert().into(Invoice).values(row).callListeners(false).execute();
}

/** Writes an invoice in all ways that number it: with `next()`, and by its entity with `save()` and `insert()`. */
async function writeNumbered(
  manager: EntityManager,
  index: number,
  date: Date,
  row: Pick<Invoice, 'id' | 'tenantId' | 'issuedOn'>,
): Promise<string> {
  if (index % 3 === 0) {
    const { text } = await series.next('invoice', {
      manager,
      scope: row.tenantId,
      date,
      document: row.id,
    });
    await insert(manager, { ...row, number: text });
    return text;
  }
  const invoice = Object.assign(new Invoice(), row);
  // save() reads first, and SQLite refuses a write after a read that another process has made out of date.
  const saves = index % 3 === 1 && job.driver !== 'sqlite';
  await (saves ? manager.save(invoice) : manager.insert(Invoice, invoice));
  return invoice.number;
}

async function bill(index: number): Promise<string> {
  const tenantId = SCOPES[index % SCOPES.length] ?? '';
  const isLate = index % 7 === 0;
  const date = new Date(NEW_YEAR_MS + (index - job.transactions / 2 - (isLate ? 20 : 0)) * 1_000);
  const issuedOn = date.getTime() < NEW_YEAR_MS ? '2026-12-31' : '2027-01-01';
  const row = { id: randomUUID(), tenantId, issuedOn };
  const outside =
    job.way === 'counter outside of the transaction' ? await numberBefore(tenantId, date) : undefined;
  return series.transaction(dataSource, async (manager) => {
    const isSeries = job.way === 'series';
    const number = isSeries
      ? await writeNumbered(manager, index, date, row)
      : (outside ?? (await numberAfterLargest(manager, tenantId)));
    if (!isSeries) await insert(manager, { ...row, number });
    if (index % ROLLED_BACK_OF === 3) throw new Abandoned();
    return `${tenantId} ${number}\n`;
  });
}

let next = 0;
async function billAll(): Promise<void> {
  while (next < job.transactions) {
    const index = next++;
    for (let isDone = false; !isDone;) {
      try {
        appendFileSync(job.logFile, await bill(index));
        isDone = true;
      } catch (error) {
        isDone = error instanceof Abandoned;
        if (!isDone && !(error instanceof SeriesConflictError)) throw error;
      }
    }
  }
}

await Promise.all(Array.from({ length: job.atATime }, billAll));
await dataSource.destroy();
process.send?.('done');
process.disconnect();
