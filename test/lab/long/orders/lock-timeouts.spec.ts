import { setTimeout as delay } from 'node:timers/promises';
import libsql, { type Database } from 'libsql';
import type {
  CustomerBody,
  ErrorBody,
  OrderBody,
} from '../../../../apps/orders/test/support/orders-client.js';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';
import { OtherSession } from '../../../../apps/orders/test/support/other-session.js';
import { makeSetUp, type SetUp, type SetUpName } from '../../../../apps/orders/test/support/set-ups.js';

/** How long the controls observe: longer than the bounds of the other tests. */
const OBSERVED_MS = 10_000;
/** Long enough to see a statement wait, even from a process that stalls meanwhile. */
const BOUND_MS = 8_000;
const LOCK_WITHIN_MS = 30_000;
/** The default of both drivers. */
const POOL_SIZE = 10;
const NAMES: SetUpName[] = ['PostgreSQL + Redis', 'MariaDB + Redis'];

describe.each(NAMES)('a lock that another session holds, on %s', (name) => {
  let setUp: SetUp;
  let other: OtherSession;
  let orders: OrdersProcess;
  let customer: CustomerBody;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-locks');
    other = await OtherSession.open(setUp.env['DATABASE_URL']!);
  });
  afterEach(() => orders?.stop());
  afterAll(async () => {
    await other?.end();
    await setUp?.remove();
  });

  async function start(lockTimeoutMs: number): Promise<void> {
    orders = await OrdersProcess.start({ ...setUp.env, DATABASE_LOCK_TIMEOUT_MS: String(lockTimeoutMs) });
    customer = await orders.client.newCustomer(`waits-${lockTimeoutMs}`);
  }

  function order<Body>(): ReturnType<typeof orders.client.post<Body>> {
    const lines = [{ sku: 'LOCKED-1', quantity: 1, unitPrice: '5.00' }];
    return orders.client.post<Body>('/orders', { customerId: customer.id, lines });
  }

  it('a request waits for a lock until the bound, gets a 503, and succeeds when retried', async () => {
    await start(BOUND_MS);
    await other.run('START TRANSACTION');
    await other.run(`INSERT INTO products (id, sku) VALUES (1, 'LOCKED-1')`);
    const row = order<ErrorBody>();
    await other.untilSomebodyWaits();
    expect(await row).toMatchObject({
      status: 503,
      body: { statusCode: 503 },
    });
    expect(Number((await row).headers.get('retry-after'))).toBeGreaterThan(0);
    await other.run('ROLLBACK');

    await other.run(other.lockTable);
    const table = order<ErrorBody>();
    await other.untilSomebodyWaits();
    expect((await table).status).toBe(503);
    await other.run(other.unlockTable);

    expect((await order<OrderBody>()).status).toBe(201);
  });

  it('more requests than the pool has connections wait for the lock as long as it is held if the bound is very long (control)', async () => {
    await start(600_000);
    await other.run('START TRANSACTION');
    await other.run(`UPDATE products SET id = 2 WHERE sku = 'LOCKED-1'`);
    let isAnswered = false;
    const orderOnce = () => order<OrderBody>().finally(() => (isAnswered = true));
    const answers = Promise.all(Array.from({ length: POOL_SIZE + 2 }, orderOnce));
    await other.untilSomebodyWaits();
    await delay(OBSERVED_MS);
    await other.untilSomebodyWaits();
    expect(isAnswered).toBe(false);
    await other.run('ROLLBACK');
    expect((await answers).map(({ status }) => status)).toEqual(Array(POOL_SIZE + 2).fill(201));
  });
});

describe('a lock that another process holds on the file of SQLite', () => {
  let setUp: SetUp;
  let other: Database;
  let orders: OrdersProcess;

  beforeEach(async () => {
    setUp = await makeSetUp('SQLite', 'orders-locks');
  });
  afterEach(async () => {
    other?.close();
    await orders?.stop();
    await setUp?.remove();
  });

  async function start(lockTimeoutMs: number): Promise<void> {
    orders = await OrdersProcess.start({ ...setUp.env, DATABASE_LOCK_TIMEOUT_MS: String(lockTimeoutMs) });
    // The backend may be renewing its lease in this file.
    other = new libsql(setUp.env['SQLITE_PATH']!, { timeout: LOCK_WITHIN_MS });
  }

  const create = (name: string): ReturnType<typeof orders.client.post<CustomerBody>> =>
    orders.client.post<CustomerBody>('/customers', { name, email: `${name}@example.com` });

  it('several requests wait for the locked file until the bound, and succeed when retried', async () => {
    await start(1_000);
    other.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(create));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    // Reads need no lock, and the failed transactions left nothing open.
    expect((await orders.client.get('/products')).status).toBe(200);
    other.exec('ROLLBACK');
    expect((await create('a')).status).toBe(201);
  });

  it('a request waits for the locked file as long as it is held if the bound is very long (control)', async () => {
    await start(600_000);
    other.exec('BEGIN IMMEDIATE');
    let isAnswered = false;
    const answer = create('a').finally(() => (isAnswered = true));
    await delay(OBSERVED_MS);
    expect(isAnswered).toBe(false);
    other.exec('ROLLBACK');
    expect((await answer).status).toBe(201);
  });
});
