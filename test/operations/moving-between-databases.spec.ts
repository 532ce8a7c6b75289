import type { LeaseStore } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { claimOf, firstRequest, granted, renewed, request } from '../integration/redis-store/requests.js';
import { makeDatabase } from '../integration/sql-store/support/databases.js';
import { waitFor } from '../support/wait.js';
import { cleanUpAfterEach } from '../support/clean-up.js';

const TIMEOUT_MS = 20_000;
const SHORT = { windowMs: 1000, maxSkewMs: 200, workerCount: 1 };

const cleanUp = cleanUpAfterEach();

async function storeOnNewDatabase(): Promise<LeaseStore> {
  const database = await makeDatabase('SQLite', 'moving');
  cleanUp(() => database.remove());
  const store = sqlLeaseStore({ dataSource: database.options, namespace: 'shop', createTable: true });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs: 30_000 });
  return store;
}

describe('a namespace that is moved to another SQL database', () => {
  it('grants nothing before windowMs and maxSkewMs have passed, and then nothing that the old database granted', async () => {
    const [old, next] = [await storeOnNewDatabase(), await storeOnNewDatabase()];
    const held = await granted(old.lease(firstRequest('a', SHORT)));
    expect(await next.lease(request('b', SHORT))).toMatchObject({ outcome: 'wait', reason: 'empty' });
    const moved = await waitFor('the first grant', TIMEOUT_MS, async () => {
      const reply = await next.lease(request('b', SHORT));
      return reply.outcome === 'new' && reply;
    });
    expect(moved.workerId).toBe(held.workerId);
    expect(moved.fromMs).toBeGreaterThanOrEqual(held.untilMs);
  });

  it('refuses renewals and leases as soon as its user may not UPDATE', async () => {
    const database = await makeDatabase('PostgreSQL', 'moving');
    cleanUp(() => database.remove());
    const { admin } = database;
    const owner = sqlLeaseStore({ dataSource: database.options, namespace: 'shop', createTable: true });
    await owner.open?.({ callTimeoutMs: 30_000 });
    await granted(owner.lease(firstRequest('owner')));
    await owner.close();

    const [{ name }] = (await admin.query('SELECT current_database() AS name')) as [{ name: string }];
    const role = `u_${name.slice(0, 40)}`;
    const tables = 'snowflake_lease, snowflake_lease_namespace';
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    await admin.query(`GRANT SELECT, INSERT, UPDATE ON ${tables} TO ${role}`);
    cleanUp(async () => {
      await admin.query(`DROP OWNED BY ${role}`);
      await admin.query(`DROP ROLE ${role}`);
    });
    const url = new URL('url' in database.options ? String(database.options.url) : '');
    Object.assign(url, { username: role, password: 'secret' });
    const store = sqlLeaseStore({ dataSource: { type: 'postgres', url: url.href }, namespace: 'shop' });
    cleanUp(() => store.close());
    await store.open?.({ callTimeoutMs: 30_000 });
    const held = await granted(store.lease(request('holder')));
    const kept = await renewed(held, store.lease(request('later', claimOf(held))));

    await admin.query(`REVOKE UPDATE ON ${tables} FROM ${role}`);
    const refused = { code: 'SNOWFLAKE_STORE_REJECTED' };
    await expect(store.lease(request('again', claimOf(kept)))).rejects.toMatchObject(refused);
    await expect(store.lease(request('new'))).rejects.toMatchObject(refused);
  });

  it('grants timestamps twice if the caller ignores the possible loss (control)', async () => {
    const [old, next] = [await storeOnNewDatabase(), await storeOnNewDatabase()];
    const held = await granted(old.lease(firstRequest('a', { ...SHORT, windowMs: 60_000 })));
    const moved = await granted(next.lease(request('b', { ...SHORT, ignoreLoss: true })));
    expect(moved.workerId).toBe(held.workerId);
    expect(moved.fromMs).toBeLessThan(held.untilMs);
  });
});
