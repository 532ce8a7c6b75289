import { systemClock } from 'nestjs-snowflake/core';
import type { DataSource } from 'typeorm';
import { deadlineIn } from '../../../libs/snowflake/src/kit/call-deadline.js';
import type { SqlDialect } from '../../../libs/snowflake/src/kit/sql/dialects/dialect.js';
import { mysql } from '../../../libs/snowflake/src/kit/sql/dialects/mysql.js';
import { waitFor } from '../../support/wait.js';
import { claimOf, firstRequest, granted, renewed, request } from '../redis-store/requests.js';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { asUserWith } from './support/limited-user.js';
import { Stores } from './support/stores.js';

const CALL_TIMEOUT_MS = 1000;
const WAIT_MS = 30_000;
const LINE = { name: 'snowflake:shop', waitMs: CALL_TIMEOUT_MS, isNewcomer: true };

let database: TestDatabase;
const stores = new Stores();

beforeEach(async () => {
  database = await makeDatabase('MariaDB', 'sql-line');
});
afterEach(async () => {
  await stores.close();
  await database?.remove();
});

const options = () => ({ dataSource: database.options, namespace: 'shop', createTable: true });

/** The statement that enters the line of newcomers. */
const enter = (): string => mysql.line?.(LINE).find((sql) => sql.includes('GET_LOCK')) ?? '';

const leave = (): string => mysql.leaveLine?.(LINE).join('') ?? '';

/** How many sessions of this database wait in a line. */
async function waiting(admin: DataSource): Promise<number> {
  const [row] = await admin.query(
    "SELECT COUNT(*) AS waiting FROM information_schema.processlist WHERE state = 'User lock' AND db = DATABASE()",
  );
  return Number(row.waiting);
}

/** Lets another session be first in line until it is called back. */
async function blockLine(): Promise<() => Promise<void>> {
  const runner = database.admin.createQueryRunner();
  await runner.query(enter());
  return async () => {
    await runner.query(leave());
    await runner.release();
  };
}

describe('newcomers in line on MariaDB', () => {
  it('wait for longer than a call may take, while a holder renews, and their clock correction does not count the wait', async () => {
    const holder = stores.open(options(), CALL_TIMEOUT_MS);
    const grant = await granted(holder.lease(firstRequest('holder')));
    const unblock = await blockLine();
    const startedMs = Date.now();
    const deadline = deadlineIn(systemClock, CALL_TIMEOUT_MS, WAIT_MS);
    const reply = stores.open(options(), CALL_TIMEOUT_MS).lease(request('newcomer'), deadline);
    reply.catch(() => undefined);
    await waitFor('the newcomer to wait', WAIT_MS, async () => (await waiting(database.admin)) === 1);
    await renewed(grant, holder.lease(request('later', claimOf(grant))));
    await waitFor(
      'a wait longer than a call',
      WAIT_MS,
      async () => Date.now() > startedMs + 2 * CALL_TIMEOUT_MS,
    );
    const unblockedMs = Date.now();
    await unblock();
    await granted(reply);
    // The wait was twice as long. What passes before it, between the processes, counts.
    expect(deadline.beganMs).toBeGreaterThan(unblockedMs - CALL_TIMEOUT_MS);
  }, 60_000);

  it('are counted by inspect() of their user, without further privileges, each namespace apart', async () => {
    await granted(stores.open(options()).lease(firstRequest('owner')));
    const tables = ['snowflake_lease', 'snowflake_lease_namespace'];
    const dataSource = await asUserWith('MariaDB', database, 'SELECT, INSERT, UPDATE', tables);
    const first = stores.open({ dataSource, namespace: 'shop' });
    const other = stores.open({ dataSource, namespace: 'Shop' });
    for (const store of [first, other]) await granted(store.lease(firstRequest('first')));
    const unblock = await blockLine();
    const replies = ['a', 'b', 'c'].map((name) =>
      granted(stores.open({ dataSource, namespace: 'shop' }).lease(request(name))),
    );
    await waitFor('all to wait', WAIT_MS, async () => (await waiting(database.admin)) === replies.length);
    await waitFor('a wait that is counted in seconds', WAIT_MS, async () => {
      const { longestWaitMs = 0 } = await first.inspect();
      return longestWaitMs >= 1000;
    });
    expect((await first.inspect()).waiting).toBe(replies.length);
    expect((await other.inspect()).waiting).toBe(0);
    await unblock();
    await Promise.all(replies);
    const later = await first.inspect();
    expect([later.waiting, later.longestWaitMs]).toEqual([0, undefined]);
  });

  it('leave the line when their transaction ends', async () => {
    const first = stores.open(options());
    await granted(first.lease(firstRequest('first', { workerCount: 1 })));
    const refused = stores.open(options());
    expect(await refused.lease(request('second', { workerCount: 1 }))).toMatchObject({ outcome: 'full' });
    // Both keep their connections.
    const [row] = await database.admin.query(enter());
    expect(Object.values(row).map(Number)).toEqual([1]);
  });

  it('pass on a server that has no line', async () => {
    await granted(stores.open(options()).lease(firstRequest('first')));
    const unblock = await blockLine();
    const lacking = (dialect: SqlDialect): SqlDialect => ({
      ...dialect,
      lacksLine: { statement: 'SELECT 1', isShown: (rows) => rows.length > 0 },
    });
    const newcomer = stores.open(options(), CALL_TIMEOUT_MS, lacking);
    expect(await granted(newcomer.lease(request('newcomer')))).toMatchObject({ workerId: 1 });
    expect(await newcomer.inspect()).not.toHaveProperty('waiting');
    await unblock();
  });
});
