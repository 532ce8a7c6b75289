import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { StoreRejectedError } from 'nestjs-snowflake/standalone';
import { firstRequest, granted } from '../redis-store/requests.js';
import { sqliteOptions } from './support/databases.js';
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

  it('is made on demand, with its folder, and keeps its leases when all have gone', async () => {
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

  it.each([
    ['a folder', 'Correct the file name', (path: string) => mkdirSync(path)],
    ['no database', 'repair the file', (path: string) => writeFileSync(path, 'text '.repeat(1000))],
  ])('that is %s is refused, with the remedy', async (_what, remedy, make) => {
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
