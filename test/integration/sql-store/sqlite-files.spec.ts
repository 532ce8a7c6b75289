import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { StoreRejectedError } from 'nestjs-snowflake/standalone';
import { waitFor } from '../../support/wait.js';
import { firstRequest, granted } from '../redis-store/requests.js';
import { makeDatabase, sqliteOptions } from './support/databases.js';
import { Stores } from './support/stores.js';

const SYNCHRONOUS_EXTRA = 3;

type Connection = InstanceType<typeof libsql>;

/** The driver, which shows the connections that are made with it. */
function watchedDriver(made: Connection[]): object {
  return class extends libsql {
    constructor(...parameters: ConstructorParameters<typeof libsql>) {
      super(...parameters);
      made.push(this);
    }
  };
}

describe('a SQLite file', () => {
  const stores = new Stores();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'snowflake-sql-file-'));
  });
  afterEach(async () => {
    await stores.close();
    rmSync(folder, { recursive: true });
  });

  it('creates a SQLite file on demand, with its folder, and keeps its leases when all have gone', async () => {
    const dataSource = sqliteOptions(join(folder, 'made', 'ids.sqlite'));
    for (const workerId of [0, 1]) {
      const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
      expect((await granted(store.lease(firstRequest(`holder ${workerId}`)))).workerId).toBe(workerId);
      await stores.close();
    }
  });

  it.each([true, false])('keeps a grant through a power failure, with enableWAL: %s', async (enableWAL) => {
    const made: Connection[] = [];
    const options = sqliteOptions(join(folder, 'ids.sqlite'));
    const dataSource = { ...options, enableWAL, driver: watchedDriver(made) } as typeof options;
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('holder')));
    const set = made.map((connection) => connection.prepare('PRAGMA synchronous').get());
    expect(set).toMatchObject([{ synchronous: SYNCHRONOUS_EXTRA }]);
  });

  // Tells when libsql is mended: without WAL, the page about SQL stores says that an app can lock out its own store.
  it.each([
    [true, 'grants'],
    [false, 'is unavailable'],
  ])(
    'leases beside a statement of the app that the file was too busy for, with WAL: %s',
    async (enableWAL, outcome) => {
      const options = sqliteOptions(join(folder, 'ids.sqlite'));
      const dataSource = { ...options, enableWAL } as typeof options;
      const store = stores.open({ dataSource, namespace: 'shop', createTable: true }, 1000);
      await granted(store.lease(firstRequest('first')));
      const [app, other] = [new libsql(String(options.database)), new libsql(String(options.database))];
      try {
        for (const connection of [app, other]) connection.exec('PRAGMA busy_timeout = 0');
        app.exec('CREATE TABLE orders (id integer)');
        app.exec('BEGIN');
        app.prepare('SELECT * FROM orders').all();
        other.exec('BEGIN IMMEDIATE');
        const failed = app.prepare('INSERT INTO orders VALUES (1)');
        expect(() => failed.run()).toThrow(/locked/);
        other.exec('ROLLBACK');
        expect(() => app.prepare('COMMIT').run()).toThrow(/in progress/);
        const second = granted(store.lease(firstRequest('second')));
        if (outcome === 'grants') await expect(second).resolves.toMatchObject({ workerId: 1 });
        else await expect(second).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
        expect(failed.reader).toBe(false);
      } finally {
        app.close();
        other.close();
      }
    },
  );

  it.each([
    ['a folder', 'Correct the file name', (path: string) => mkdirSync(path)],
    ['no database', 'repair the file', (path: string) => writeFileSync(path, 'text '.repeat(1000))],
  ])('refuses a SQLite database that is %s, with the remedy', async (_what, remedy, make) => {
    const path = join(folder, 'ids.sqlite');
    make(path);
    const store = stores.open({ dataSource: sqliteOptions(path), namespace: 'shop', createTable: true });
    const refusal = store.lease(firstRequest('holder'));
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow(remedy);
  });

  it('opens with an installed package if the DataSource names none', async () => {
    const dataSource = { ...sqliteOptions(join(folder, 'ids.sqlite')), driver: undefined };
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    expect((await granted(store.lease(firstRequest('holder')))).workerId).toBe(0);
  });
});

/** Turns of the event loop, counted for as long as the test runs. */
class Turns {
  count = 0;
  private isOver = false;

  begin(): void {
    const next = (): void => {
      this.count += 1;
      if (!this.isOver) setImmediate(next);
    };
    setImmediate(next);
  }

  end(): void {
    this.isOver = true;
  }
}

/** The driver, which notes the turn of the event loop at which a transaction last began and ended. */
function turnCountingDriver(turns: Turns, ranAt: Map<string, number>): object {
  return class extends libsql {
    override exec(sql: string): this {
      ranAt.set(sql, turns.count);
      return super.exec(sql);
    }
  };
}

it('holds the lock of a lease in SQLite within one turn of the event loop', async () => {
  const database = await makeDatabase('SQLite', 'one-go');
  const stores = new Stores();
  const turns = new Turns();
  const ranAt = new Map<string, number>();
  try {
    const driver = turnCountingDriver(turns, ranAt);
    const dataSource = { ...database.options, driver } as typeof database.options;
    turns.begin();
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true });
    await granted(store.lease(firstRequest('holder')));
    // Control: turns are counted while the store works.
    expect(ranAt.get('BEGIN IMMEDIATE')).toBeGreaterThan(0);
    expect(ranAt.get('COMMIT')).toBe(ranAt.get('BEGIN IMMEDIATE'));
  } finally {
    turns.end();
    await stores.close();
    await database.remove();
  }
});

/** The driver, which counts the attempts to begin a transaction that a lock has refused. */
function refusalCountingDriver(refusals: { count: number }): object {
  return class extends libsql {
    override exec(sql: string): this {
      try {
        return super.exec(sql);
      } catch (error) {
        refusals.count += 1;
        throw error;
      }
    }
  };
}

it('leases from SQLite within the call in which another process lets go of the file', async () => {
  const database = await makeDatabase('SQLite', 'locked-file');
  const stores = new Stores();
  const refusals = { count: 0 };
  try {
    const driver = refusalCountingDriver(refusals);
    const dataSource = { ...database.options, driver } as typeof database.options;
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true }, 20_000);
    await granted(store.lease(firstRequest('first')));
    await database.admin.query('BEGIN IMMEDIATE');
    const second = store.lease(firstRequest('second'));
    await waitFor('a refused attempt', 20_000, () => refusals.count > 1);
    await database.admin.query('COMMIT');
    expect((await granted(second)).workerId).toBe(1);
  } finally {
    await stores.close();
    await database.remove();
  }
});
