import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql, { type Database } from 'libsql';
import { Series } from 'nestjs-snowflake/series';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { Product } from '../src/products/product.entity.js';
import { databaseOptions } from '../src/database/database-options.js';
import { Transactions } from '../src/database/transactions.js';

const ATTEMPTS = 20;
const LOCK_TIMEOUT_MS = 5_000;

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

  it('are isolated if they start at the same time', async () => {
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

  it('would not be isolated by TypeORM (control)', async () => {
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

    it('wait for it until the bound, and leave the connection usable', async () => {
      const transactions = new Transactions(dataSource, { lockTimeoutMs: 300 }, new Series());
      const outcomes = await Promise.allSettled(['1', '2', '3'].map((id) => transactions.run(insert(id))));
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(await transactions.read(readAll)).toEqual([]);
      const waiting = transactions.run(insert('4'));
      other.exec('ROLLBACK');
      await waiting;
      expect(await transactions.read(readAll)).toMatchObject([{ id: '4' }]);
    });

    // Control: a statement of TypeORM takes the lock.
    it('would break the connection if they took it later', async () => {
      const transactions = new Transactions(dataSource, { lockTimeoutMs: 300 }, new Series());
      await expect(transactions.read(insert('1'))).rejects.toThrow('database is locked');
      other.exec('ROLLBACK');
      await expect(transactions.read(readAll)).rejects.toThrow('SQL statements in progress');
    });
  });

  it("can't be nested, because that would wait forever", async () => {
    const transactions = new Transactions(dataSource, { lockTimeoutMs: LOCK_TIMEOUT_MS }, new Series());
    const nested = transactions.run(() => transactions.run(async () => undefined));
    await expect(nested).rejects.toThrow('Pass its EntityManager on');
    await expect(transactions.run(async () => 'the next')).resolves.toBe('the next');
  });
});
