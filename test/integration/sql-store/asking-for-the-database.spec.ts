import { StoreUnavailableError } from 'nestjs-snowflake/standalone';
import type { DataSourceOptions } from 'typeorm';
import { firstRequest, granted } from '../redis-store/requests.js';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { Stores } from './support/stores.js';

const CALL_TIMEOUT_MS = 300;

describe('an app that is asked for the database', () => {
  const stores = new Stores();
  let database: TestDatabase;
  let asked: number;
  /** Ends the first question, which the app leaves open. */
  let refuseFirst: (reason: Error) => void;

  beforeEach(async () => {
    database = await makeDatabase('SQLite', 'asked');
    asked = 0;
  });
  afterEach(async () => {
    await stores.close();
    await database.remove();
  });

  /** A store whose first call has waited for the app in vain. */
  async function openInVain(): Promise<ReturnType<Stores['open']>> {
    const first = new Promise<DataSourceOptions>((_, reject) => (refuseFirst = reject));
    const dataSource = (): Promise<DataSourceOptions> => {
      asked += 1;
      return asked === 1 ? first : Promise.resolve(database.options);
    };
    const store = stores.open({ dataSource, namespace: 'shop', createTable: true }, CALL_TIMEOUT_MS);
    await expect(store.lease(firstRequest('first'))).rejects.toThrow(StoreUnavailableError);
    return store;
  }

  it('asks an app that never answered again in the call after reconnect()', async () => {
    const store = await openInVain();
    await store.reconnect?.();
    expect((await granted(store.lease(firstRequest('second')))).workerId).toBe(0);
    expect(asked).toBe(2);
  });

  it('asks an app that never answered again after the store was closed and opened', async () => {
    const store = await openInVain();
    await store.close();
    await store.open?.({ callTimeoutMs: CALL_TIMEOUT_MS });
    expect((await granted(store.lease(firstRequest('second')))).workerId).toBe(0);
  });

  it('asks the app no third time when the first question fails after all', async () => {
    const store = await openInVain();
    await store.reconnect?.();
    await granted(store.lease(firstRequest('second')));
    refuseFirst(new Error('too late'));
    await granted(store.lease(firstRequest('third')));
    await granted(store.lease(firstRequest('fourth')));
    expect(asked).toBe(2);
  });
});
