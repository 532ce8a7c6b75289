import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseStore } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { firstRequest, granted, request } from '../integration/redis-store/requests.js';
import { makeDatabase } from '../integration/sql-store/support/databases.js';

const SHORT = { windowMs: 1000, maxSkewMs: 200, workerCount: 1 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function storeOnNewDatabase(): Promise<LeaseStore> {
  const database = await makeDatabase('SQLite', 'moving');
  closing.push(() => database.remove());
  const store = sqlLeaseStore({ dataSource: database.options, namespace: 'shop', createTable: true });
  closing.push(() => store.close());
  await store.open?.({ callTimeoutMs: 10_000 });
  return store;
}

describe('a namespace that is moved to another SQL database', () => {
  it('grants nothing twice when windowMs and maxSkewMs pass after the last grant of the old one', async () => {
    const [old, next] = [await storeOnNewDatabase(), await storeOnNewDatabase()];
    const held = await granted(old.lease(firstRequest('a', SHORT)));
    await delay(SHORT.windowMs + SHORT.maxSkewMs);
    const moved = await granted(next.lease(request('b', SHORT)));
    expect(moved.workerId).toBe(held.workerId);
    expect(moved.fromMs).toBeGreaterThanOrEqual(held.untilMs);
  });

  it('grants timestamps twice without that time, because new tables need no wait (control)', async () => {
    const [old, next] = [await storeOnNewDatabase(), await storeOnNewDatabase()];
    const held = await granted(old.lease(firstRequest('a', { ...SHORT, windowMs: 60_000 })));
    const moved = await granted(next.lease(request('b', SHORT)));
    expect(moved.workerId).toBe(held.workerId);
    expect(moved.fromMs).toBeLessThan(held.untilMs);
  });
});
