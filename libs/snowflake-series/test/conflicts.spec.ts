import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeriesConflictError, SeriesSubscriber, SeriesTransactionError } from 'nestjs-snowflake-series';
import { DataSource, type DataSourceOptions, type EntityManager, QueryFailedError } from 'typeorm';
import { CuttingProxy } from './support/cutting-proxy.js';
import { openShop, optionsFor, type Shop, sqliteOptions } from './support/invoices.js';

/** A promise that the test resolves. Node 20 has no Promise.withResolvers(). */
function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, resolve: () => open() };
}

const TABLE = 'CREATE TABLE stock (id integer PRIMARY KEY, amount integer NOT NULL)';

let shop: Shop;
const take = async (manager: EntityManager, scope: string): Promise<number> =>
  (await shop.series.next('order', { manager, scope, date: '2026-03-01' })).number;
const transaction = <Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> =>
  shop.series.transaction(shop.dataSource, work);

/** Runs two transactions of which each changes a row, and then the row of the other. */
async function inBoth(
  scope: string,
  change: (manager: EntityManager, id: number) => Promise<unknown>,
  last = (manager: EntityManager, _at: number): Promise<number> => take(manager, scope),
): Promise<PromiseSettledResult<number>[]> {
  const arrived = [gate(), gate()];
  const crossing = (at: number): Promise<number> =>
    transaction(async (manager) => {
      await change(manager, at);
      arrived[at]?.resolve();
      await arrived[1 - at]?.promise;
      await change(manager, 1 - at);
      return last(manager, at);
    });
  return Promise.allSettled([crossing(0), crossing(1)]);
}

const failuresOf = (outcomes: readonly PromiseSettledResult<number>[]): unknown[] =>
  outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
const sell = (manager: EntityManager, id: number): Promise<unknown> =>
  manager.query(`UPDATE stock SET amount = amount - 1 WHERE id = ${id}`);

describe.each(['postgres', 'mariadb', 'mysql'] as const)(
  'a statement of the app on %s [promise: series]',
  (driver) => {
    beforeAll(async () => {
      shop = await openShop(driver, `series_own_${driver}`);
      await shop.dataSource.query(TABLE);
      await shop.dataSource.query('INSERT INTO stock VALUES (0, 9), (1, 9)');
    });
    afterAll(() => shop?.close());

    it('throws the retryable error of series.transaction() for a statement that deadlocks', async () => {
      const failures = failuresOf(await inBoth('deadlock', sell));
      expect(failures).toHaveLength(1);
      expect(failures[0]).toBeInstanceOf(SeriesConflictError);
      const code = driver === 'postgres' ? '40P01' : 'ER_LOCK_DEADLOCK';
      expect(failures[0]).toMatchObject({ retryable: true, cause: { code } });
      expect(await transaction((manager) => take(manager, 'deadlock'))).toBe(2);
    });

    it('commits nothing by half after a statement whose error the app catches', async () => {
      const before = await transaction((manager) => take(manager, 'caught'));
      const attempt = transaction(async (manager) => {
        const number = await take(manager, 'caught');
        await manager.query('INSERT INTO stock VALUES (0, 1)').catch(() => undefined);
        return number;
      });
      if (driver !== 'postgres') return expect(attempt).resolves.toBe(before + 1);
      // It has rolled back everything, and would answer ROLLBACK to the COMMIT without an error.
      await expect(attempt).rejects.toBeInstanceOf(SeriesTransactionError);
      await expect(attempt).rejects.toMatchObject({ cause: { code: '23505' } });
      expect(await transaction((manager) => take(manager, 'caught'))).toBe(before + 1);
    });

    it('leaves the number to the outer transaction if a nested one fails', async () => {
      const before = await transaction((manager) => take(manager, 'nested'));
      const after = await transaction(async (manager) => {
        const number = await take(manager, 'nested');
        await manager
          .transaction((nested) => nested.query('INSERT INTO stock VALUES (0, 1)'))
          .catch(() => undefined);
        return number;
      });
      expect(after).toBe(before + 1);
      expect(await transaction((manager) => take(manager, 'nested'))).toBe(before + 2);
    });

    it('throws the error of a statement that fails otherwise (control)', async () => {
      let own: unknown;
      const attempt = transaction(async (manager) => {
        await manager.query('INSERT INTO stock VALUES (0, 1)').catch((error: unknown) => {
          own = error;
          throw error;
        });
      });
      await expect(attempt).rejects.toBeInstanceOf(QueryFailedError);
      await attempt.catch((error: unknown) => expect(error).toBe(own));
      const similar = Object.assign(new Error('not of a query'), { code: '40001' });
      await expect(transaction(() => Promise.reject(similar))).rejects.toBe(similar);
    });

    if (driver === 'postgres') {
      it('throws the retryable error in a COMMIT that is not serializable', async () => {
        const { dataSource } = shop;
        const writes = gate();
        let isDone = false;
        const first = transaction(async (manager) => {
          await manager.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
          await manager.query('SELECT SUM(amount) FROM stock');
          await sell(manager, 0);
          await take(manager, 'skew');
          writes.resolve();
          await other;
          isDone = true;
        });
        const other = writes.promise.then(() =>
          dataSource.transaction('SERIALIZABLE', async (manager) => {
            await manager.query('SELECT SUM(amount) FROM stock');
            await sell(manager, 1);
          }),
        );
        await expect(first).rejects.toMatchObject({
          code: 'SNOWFLAKE_SERIES_CONFLICT',
          cause: { code: '40001' },
        });
        expect(isDone).toBe(true);
        expect(await transaction((manager) => take(manager, 'skew'))).toBe(1);
      });
    } else {
      const ignoring = (manager: EntityManager, id: number): Promise<unknown> =>
        sell(manager, id).catch(() => undefined);

      it('takes no number after a deadlock that the app ignores', async () => {
        const failures = failuresOf(await inBoth('ignored', ignoring));
        expect(failures).toHaveLength(1);
        expect(failures[0]).toBeInstanceOf(SeriesConflictError);
        expect(await transaction((manager) => take(manager, 'ignored'))).toBe(2);
      });

      it('commits nothing after a number and a deadlock that the app ignores', async () => {
        const begun = new Set<EntityManager>();
        const outcomes = await inBoth(
          'none',
          async (manager, id) => {
            if (!begun.has(manager)) await take(manager, `before ${id}`);
            begun.add(manager);
            await ignoring(manager, id);
          },
          () => Promise.resolve(0),
        );
        const failures = failuresOf(outcomes);
        expect(failures).toHaveLength(1);
        expect(failures[0]).toBeInstanceOf(SeriesConflictError);
      });

      it('commits after a deadlock that the app ignores without numbers (control)', async () => {
        const outcomes = await inBoth('none', ignoring, () => Promise.resolve(0));
        expect(failuresOf(outcomes)).toEqual([]);
      });
    }
  },
);

describe('a transaction that takes a number beside another process on a SQLite file', () => {
  let other: DataSource;
  beforeEach(async () => {
    shop = await openShop('sqlite', 'series_read_first');
    await shop.dataSource.query(TABLE);
    await shop.dataSource.query('PRAGMA busy_timeout = 0');
    const { database } = shop.dataSource.options as { database: string };
    other = await new DataSource({
      ...sqliteOptions(database),
      timeout: 0,
    } as DataSourceOptions).initialize();
  });
  afterEach(async () => {
    await other?.destroy();
    await shop?.close();
  });

  const READ = 'SELECT * FROM stock';
  const WRITE_NOTHING = 'UPDATE stock SET amount = amount WHERE 1 = 0';
  const WRITE = 'INSERT INTO stock VALUES (1, 1)';
  const numberAfter = (sql: string, between = (): Promise<unknown> => Promise.resolve()): Promise<number> =>
    transaction(async (manager) => {
      await manager.query(sql);
      await manager.query(READ);
      await between();
      return take(manager, 'read first');
    });

  it('throws a retryable error if a transaction reads first, and another process writes then', async () => {
    await expect(numberAfter(READ, () => other.query(WRITE))).rejects.toThrow(SeriesConflictError);
    // Tells when libsql is mended: the statement that failed stays open, and keeps its old view of the file.
    await expect(numberAfter(READ)).rejects.toThrow(SeriesConflictError);
  });

  it('gives a number to a transaction that begins with a write, which refuses the other process', async () => {
    const number = await numberAfter(WRITE_NOTHING, () =>
      expect(other.query(WRITE)).rejects.toMatchObject({ driverError: { code: 'SQLITE_BUSY' } }),
    );
    expect(number).toBe(1);
  });

  it('gives a number in a retry if a transaction begins with a write that the other process refuses', async () => {
    await other.query('BEGIN IMMEDIATE');
    await expect(numberAfter(WRITE_NOTHING)).rejects.toThrow(SeriesConflictError);
    await other.query(WRITE);
    await other.query('COMMIT');
    expect([await numberAfter(WRITE_NOTHING), await numberAfter(WRITE_NOTHING)]).toEqual([1, 2]);
  });
});

describe('a full disk of SQLite', () => {
  beforeAll(async () => {
    shop = await openShop('sqlite', 'series_full');
    await shop.dataSource.query('CREATE TABLE letter (content text NOT NULL)');
    await shop.dataSource.query('PRAGMA cache_size = 1');
    await transaction((manager) => take(manager, 'full'));
  });
  afterAll(() => shop?.close());

  const LONG = `INSERT INTO letter VALUES ('${'x'.repeat(1_000_000)}')`;
  const withLittleSpace = async (work: () => Promise<unknown>): Promise<void> => {
    const { dataSource } = shop;
    const [{ page_count: pages }] = await dataSource.query<[{ page_count: number }]>('PRAGMA page_count');
    await dataSource.query(`PRAGMA max_page_count = ${pages + 4}`);
    await work();
    await dataSource.query(`PRAGMA max_page_count = ${pages + 1000}`);
  };

  it('commits no number if the app ignores that the disk is full', async () => {
    const before = await transaction((manager) => take(manager, 'full'));
    await withLittleSpace(async () => {
      const attempt = transaction(async (manager) => {
        await take(manager, 'full');
        await manager.query(LONG).catch(() => undefined);
      });
      await expect(attempt).rejects.toMatchObject({ cause: { code: 'SQLITE_FULL' } });
    });
    expect(await transaction((manager) => take(manager, 'full'))).toBe(before + 1);
    expect(await shop.dataSource.query('SELECT content FROM letter')).toEqual([]);
  });

  it('takes no number after a full disk that the app ignores, because the transaction may be over', async () => {
    const before = await transaction((manager) => take(manager, 'full'));
    await withLittleSpace(async () => {
      const attempt = transaction(async (manager) => {
        await manager.query(LONG).catch(() => undefined);
        return take(manager, 'full');
      });
      await expect(attempt).rejects.toMatchObject({ cause: { code: 'SQLITE_FULL' } });
    });
    expect(await transaction((manager) => take(manager, 'full'))).toBe(before + 1);
  });

  it('ends the transaction on a full disk, and begins the next one', async () => {
    const before = await transaction((manager) => take(manager, 'full'));
    await withLittleSpace(async () => {
      const attempt = transaction(async (manager) => {
        await take(manager, 'full');
        await manager.query(LONG);
      });
      await expect(attempt).rejects.toMatchObject({ driverError: { code: 'SQLITE_FULL' } });
    });
    expect(await transaction((manager) => take(manager, 'full'))).toBe(before + 1);
  });

  // Tells when TypeORM is mended: without SeriesSubscriber, its transaction stays open.
  it('leaves a DataSource without SeriesSubscriber in a transaction', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snowflake-full-'));
    const plain = await new DataSource(sqliteOptions(join(folder, 'plain.sqlite'))).initialize();
    try {
      await plain.query('CREATE TABLE letter (content text NOT NULL)');
      await plain.query('PRAGMA cache_size = 1');
      await plain.query('PRAGMA max_page_count = 4');
      await expect(plain.transaction((manager) => manager.query(LONG))).rejects.toThrow('full');
      expect(plain.createQueryRunner().isTransactionActive).toBe(true);
    } finally {
      await plain.destroy();
      rmSync(folder, { recursive: true });
    }
  });
});

const DATE = '2026-03-01';
const ROWS = 'CREATE TABLE papers (id varchar(36) PRIMARY KEY, number varchar(64) NOT NULL)';

/** What an app does in one transaction: a number, and a row with it unless the row is there. */
async function writePaper(
  { series }: Shop,
  dataSource: DataSource,
  scope: string,
  id: string,
  document?: string,
): Promise<string> {
  return series.transaction(dataSource, async (manager) => {
    const { text } = await series.next('order', { manager, scope, date: DATE, document });
    const found: unknown[] = await manager.query(`SELECT id FROM papers WHERE id = '${id}'`);
    if (found.length === 0) await manager.query(`INSERT INTO papers VALUES ('${id}', '${text}')`);
    return text;
  });
}

describe.each(['postgres', 'mariadb', 'mysql'] as const)(
  'a transaction whose COMMIT is not answered, on %s [promise: series]',
  (driver) => {
    let proxy: CuttingProxy;
    let remote: DataSource;

    beforeAll(async () => {
      const name = `series_lost_${driver}`;
      shop = await openShop(driver, name);
      await shop.dataSource.query(ROWS);
      const [options] = await optionsFor(driver, name);
      const url = new URL(String((shop.dataSource.options as { url?: string }).url));
      proxy = await CuttingProxy.start(Number(url.port));
      url.port = String(proxy.port);
      const subscribers = [SeriesSubscriber];
      remote = new DataSource({ ...options, url: url.href, subscribers } as DataSourceOptions);
      await remote.initialize();
    });
    afterAll(async () => {
      await remote?.destroy();
      await proxy?.close();
      await shop?.close();
    });

    /** Fails in the COMMIT, which the database has done, and runs the same transaction again. */
    async function lostAndRepeated(scope: string, document?: string): Promise<string> {
      const id = `${scope}-1`;
      const before = proxy.cuts;
      proxy.cutNextCommit();
      await expect(writePaper(shop, remote, scope, id, document)).rejects.toThrow(
        /terminated|closed|ended|reset/i,
      );
      expect(proxy.cuts).toBe(before + 1);
      const [row] = (await shop.dataSource.query(`SELECT number FROM papers WHERE id = '${id}'`)) as {
        number: string;
      }[];
      expect(row?.number).toBe('INV-2026-00001');
      return writePaper(shop, remote, scope, id, document);
    }

    const next = (scope: string): Promise<string> => writePaper(shop, remote, scope, `${scope}-2`);

    it('gives a transaction that is run again the number that its document has', async () => {
      expect(await lostAndRepeated('kept', 'paper-1')).toBe('INV-2026-00001');
      expect(await next('kept')).toBe('INV-2026-00002');
    });

    it('gives a transaction that is run again another number without the document (control)', async () => {
      expect(await lostAndRepeated('lost')).toBe('INV-2026-00002');
      expect(await next('lost')).toBe('INV-2026-00003');
    });
  },
);
