import libsql, { type Database } from 'libsql';
import type {
  CustomerBody,
  ErrorBody,
  OrderBody,
} from '../../../../apps/orders/test/support/orders-client.js';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';
import { OtherSession } from '../../../../apps/orders/test/support/other-session.js';
import { makeSetUp, type SetUp, type SetUpName } from '../../../../apps/orders/test/support/set-ups.js';

/** Long enough to see a statement wait, even from a process that stalls meanwhile. */
const BOUND_MS = 8_000;
/** Of the controls, which wait as long as the lock is held. */
const NO_BOUND_MS = 600_000;
const LOCK_WITHIN_MS = 30_000;
/** The default of both drivers. */
const POOL_SIZE = 10;
const NAMES: SetUpName[] = ['PostgreSQL + Redis', 'MariaDB + Redis'];

function start({ env }: SetUp, lockTimeoutMs: number): Promise<OrdersProcess> {
  return OrdersProcess.start({ ...env, DATABASE_LOCK_TIMEOUT_MS: String(lockTimeoutMs) });
}

/** Orders a product through a backend. */
async function ordering({ client }: OrdersProcess, customer: string) {
  const { id } = await client.newCustomer(customer);
  const lines = [{ sku: 'LOCKED-1', quantity: 1, unitPrice: '5.00' }];
  return <Body>() => client.post<Body>('/orders', { customerId: id, lines });
}

/** Watches an outcome without waiting for it. */
function watched<Result>(outcome: Promise<Result>) {
  let settled = false;
  const settle = (): void => void (settled = true);
  outcome.then(settle, settle);
  return { outcome, isSettled: () => settled };
}

describe.each(NAMES)('a lock that another session holds, on %s', (name) => {
  let setUp: SetUp;
  let other: OtherSession;
  let bounded: OrdersProcess;
  let unbounded: OrdersProcess;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-locks');
    other = await OtherSession.open(setUp.env['DATABASE_URL']!);
    bounded = await start(setUp, BOUND_MS);
    unbounded = await start(setUp, NO_BOUND_MS);
  });
  afterAll(async () => {
    await bounded?.stop();
    await unbounded?.stop();
    await other?.end();
    await setUp?.remove();
  });

  it('a request waits for a row until the bound, gets a 503, and succeeds when retried, while one still waits if the bound is very long (control)', async () => {
    const order = await ordering(bounded, 'waits-for-a-row');
    const orderPatiently = await ordering(unbounded, 'waits-on-for-a-row');
    await other.run('START TRANSACTION');
    await other.run(`INSERT INTO products (id, sku) VALUES (1, 'LOCKED-1')`);
    const patient = watched(orderPatiently<OrderBody>());
    await other.untilSomebodyWaits();

    const refused = await order<ErrorBody>();
    expect(refused).toMatchObject({ status: 503, body: { statusCode: 503 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await other.untilSomebodyWaits();
    expect(patient.isSettled()).toBe(false);

    await other.run('ROLLBACK');
    expect((await patient.outcome).status).toBe(201);
    expect((await order<OrderBody>()).status).toBe(201);
  });

  it('a request waits for a table until the bound, gets a 503, and succeeds when retried, while more than the pool has connections still wait if the bound is very long (control)', async () => {
    const order = await ordering(bounded, 'waits-for-a-table');
    const orderPatiently = await ordering(unbounded, 'waits-on-for-a-table');
    await other.run(other.lockTable);
    const patient = Array.from({ length: POOL_SIZE + 2 }, () => watched(orderPatiently<OrderBody>()));
    await other.untilSomebodyWaits();

    expect((await order<ErrorBody>()).status).toBe(503);
    await other.untilSomebodyWaits();
    expect(patient.filter(({ isSettled }) => isSettled())).toEqual([]);

    await other.run(other.unlockTable);
    for (const { outcome } of patient) expect((await outcome).status).toBe(201);
    expect((await order<OrderBody>()).status).toBe(201);
  });
});

describe('a lock that another process holds on the file of SQLite', () => {
  it('several requests wait for the file until the bound, and succeed when retried, while one still waits in a backend whose bound is very long (control)', async () => {
    const setUp = await makeSetUp('SQLite', 'orders-locks');
    const running: OrdersProcess[] = [];
    let other: Database | undefined;
    const create = ({ client }: OrdersProcess, customer: string) =>
      client.post<CustomerBody>('/customers', { name: customer, email: `${customer}@example.com` });
    try {
      const [bounded, unbounded] = [await start(setUp, 1_000), await start(setUp, NO_BOUND_MS)];
      running.push(bounded, unbounded);
      // A backend may be renewing its lease in this file.
      other = new libsql(setUp.env['SQLITE_PATH']!, { timeout: LOCK_WITHIN_MS });
      other.exec('BEGIN IMMEDIATE');
      const patient = watched(create(unbounded, 'patient'));

      const answers = await Promise.all(['a', 'b', 'c', 'd'].map((customer) => create(bounded, customer)));
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      // Reads need no lock, and the failed transactions left nothing open.
      expect((await bounded.client.get('/products')).status).toBe(200);
      expect(patient.isSettled()).toBe(false);

      other.exec('ROLLBACK');
      expect((await create(bounded, 'a')).status).toBe(201);
      expect((await patient.outcome).status).toBe(201);
    } finally {
      other?.close();
      await Promise.all(running.map((each) => each.stop()));
      await setUp.remove();
    }
  });
});
