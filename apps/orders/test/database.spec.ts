import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql, { type Database } from 'libsql';
import { Series } from 'nestjs-snowflake-series';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { Customer } from '../src/customers/customer.entity.js';
import { databaseOptions } from '../src/database/database-options.js';
import { Transactions } from '../src/database/transactions.js';
import { Invoice } from '../src/invoices/invoice.entity.js';
import { Order, OrderLine } from '../src/orders/order.entity.js';
import { Product } from '../src/products/product.entity.js';
import { Ticket } from '../src/tickets/ticket.entity.js';
import { makeSetUp, SET_UPS } from './support/set-ups.js';

const ATTEMPTS = 20;
const LOCK_TIMEOUT_MS = 5_000;

/** Returns the statements that would make the tables match the entities. */
async function differences(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

describe.each(SET_UPS)('the migrations of the orders backend on %s', (name) => {
  it('creates exactly the tables that the entities describe, and drops them again', async () => {
    const { env, remove } = await makeSetUp(name, 'orders-migrations');
    const dataSource = new DataSource({
      ...databaseOptions({
        url: env['DATABASE_URL'],
        sqlitePath: env['SQLITE_PATH'] ?? '',
        lockTimeoutMs: 5_000,
      }),
      entities: [Customer, Product, Order, OrderLine, Invoice, Ticket],
    } as DataSourceOptions);
    await dataSource.initialize();
    try {
      expect(await differences(dataSource)).toEqual([]);
      for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
      expect(await differences(dataSource)).not.toEqual([]);
      await dataSource.runMigrations();
      expect(await differences(dataSource)).toEqual([]);
    } finally {
      await dataSource.destroy();
      await remove();
    }
  });
});

describe('transactions on SQLite [promise: exact-keys]', () => {
  let directory: string;
  let dataSource: DataSource;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'transactions-'));
    dataSource = new DataSource({
      ...databaseOptions({ sqlitePath: join(directory, 'orders.sqlite'), lockTimeoutMs: LOCK_TIMEOUT_MS }),
      entities: [Product],
    } as DataSourceOptions);
    await dataSource.initialize();
  });

  afterEach(async () => {
    await dataSource?.destroy();
    rmSync(directory, { recursive: true });
  });

  /** Starts all transactions at once; every second one fails after its insert. Returns the outcomes. */
  function attempts(run: Transactions['run']): Promise<PromiseSettledResult<void>[]> {
    return Promise.allSettled(
      Array.from({ length: ATTEMPTS }, (_, at) =>
        run(async (manager) => {
          await manager.insert(Product, { id: String(at + 1), sku: `SKU-${at}` });
          if (at % 2 === 1) throw new Error('changed my mind');
        }),
      ),
    );
  }

  it('isolates transactions that start at the same time', async () => {
    const transactions = new Transactions(dataSource, { lockTimeoutMs: LOCK_TIMEOUT_MS }, new Series());
    const outcomes = await attempts((work) => transactions.run(work));
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, at) => (at % 2 === 1 ? 'rejected' : 'fulfilled')),
    );
    const kept = await dataSource.getRepository(Product).find();
    expect(kept.map(({ sku }) => sku).sort()).toEqual(
      Array.from({ length: ATTEMPTS / 2 }, (_, at) => `SKU-${2 * at}`).sort(),
    );
  });

  it('finds transactions of TypeORM not isolated (control)', async () => {
    const outcomes = await attempts((work) => dataSource.transaction(work));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).not.toBe(ATTEMPTS / 2);
  });

  describe('while another process has the lock', () => {
    let other: Database;

    beforeEach(() => {
      other = new libsql(join(directory, 'orders.sqlite'));
      other.exec('BEGIN IMMEDIATE');
    });
    afterEach(() => other.close());

    const insert = (id: string) => (manager: EntityManager) =>
      manager.insert(Product, { id, sku: `SKU-${id}` });
    const readAll = (manager: EntityManager) => manager.find(Product);

    it('waits for the lock until the bound, and leaves the connection usable', async () => {
      const transactions = new Transactions(dataSource, { lockTimeoutMs: 300 }, new Series());
      const outcomes = await Promise.allSettled(['1', '2', '3'].map((id) => transactions.run(insert(id))));
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(await transactions.read(readAll)).toEqual([]);
      const waiting = transactions.run(insert('4'));
      other.exec('ROLLBACK');
      await waiting;
      expect(await transactions.read(readAll)).toMatchObject([{ id: '4' }]);
    });

    it('breaks the connection if a statement of TypeORM takes the lock (control)', async () => {
      const transactions = new Transactions(dataSource, { lockTimeoutMs: 300 }, new Series());
      await expect(transactions.read(insert('1'))).rejects.toThrow('database is locked');
      other.exec('ROLLBACK');
      await expect(transactions.read(readAll)).rejects.toThrow('SQL statements in progress');
    });
  });

  it('refuses a nested transaction, which would wait forever', async () => {
    const transactions = new Transactions(dataSource, { lockTimeoutMs: LOCK_TIMEOUT_MS }, new Series());
    const nested = transactions.run(() => transactions.run(async () => undefined));
    await expect(nested).rejects.toThrow('Pass its EntityManager on');
    await expect(transactions.run(async () => 'the next')).resolves.toBe('the next');
  });
});
