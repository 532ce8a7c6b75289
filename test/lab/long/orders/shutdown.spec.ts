import { Redis } from 'ioredis';
import { Client } from 'pg';
import { waitFor } from '../../../support/wait.js';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';
import type { OrderBody } from '../../../../apps/orders/test/support/orders-client.js';
import { makeSetUp, type SetUp } from '../../../../apps/orders/test/support/set-ups.js';

const RELEASED = /^\d+ $/;

describe('SIGTERM for the orders backend', () => {
  let setUp: SetUp;
  let database: Client;
  let redis: Redis;

  beforeAll(async () => {
    setUp = await makeSetUp('PostgreSQL + Redis', 'orders-shutdown');
    database = new Client({ connectionString: setUp.env['DATABASE_URL'] });
    await database.connect();
    redis = new Redis(setUp.redis!.url);
  });

  afterAll(async () => {
    redis?.disconnect();
    await database?.end();
    await setUp?.remove();
  });

  const leaseRow = (workerId: number): Promise<string | null> =>
    redis.hget('snowflake:{orders}', String(workerId));

  /** A process does not wait long for the answer to its last call. */
  const untilReleased = (workerId: number): Promise<true> =>
    waitFor('the release', 20_000, async () => RELEASED.test((await leaseRow(workerId)) ?? '') || undefined);

  async function untilSomebodyWaitsForALock(): Promise<void> {
    await waitFor('a statement that waits for a lock', 20_000, async () => {
      const { rows } = await database.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
  }

  it('lets a request in flight insert its rows, then releases the lease and exits with 0', async () => {
    const unhurried = { DATABASE_LOCK_TIMEOUT_MS: '60000', SHUTDOWN_GRACE_MS: '60000' };
    const orders = await OrdersProcess.start({ ...setUp.env, ...unhurried });
    const { client } = orders;
    const customer = await client.newCustomer('patient');
    const { body: decoded } = await client.get<{ workerId: number }>(`/ids/${customer.id}`);
    expect(await leaseRow(decoded.workerId)).not.toMatch(RELEASED);

    // An uncommitted product with the same SKU blocks the order before its ID is made.
    await database.query('BEGIN');
    await database.query(`INSERT INTO products (id, sku) VALUES (1, 'SLOW-1')`);
    const lines = [{ sku: 'SLOW-1', quantity: 1, unitPrice: '5.00' }];
    const answer = client.post<OrderBody>('/orders', { customerId: customer.id, lines });
    await untilSomebodyWaitsForALock();

    orders.signal('SIGTERM');
    await waitFor(
      () => `the shutdown to begin:\n${orders.output}`,
      20_000,
      () => orders.output.includes('Finishing the requests in flight'),
    );
    await waitFor('the port to be closed', 20_000, () =>
      client.get('/health').then(
        () => false,
        () => true,
      ),
    );
    expect(await leaseRow(decoded.workerId)).not.toMatch(RELEASED);
    const { rows: clock } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    await database.query('ROLLBACK');

    const { status, body } = await answer;
    expect(status).toBe(201);
    expect(new Date(body.createdAt).getTime()).toBeGreaterThanOrEqual(clock[0]!.now.getTime());
    expect(await orders.untilEnd()).toEqual({ code: 0, signal: null });

    const { rows } = await database.query('SELECT sku FROM order_lines WHERE "orderId" = $1', [body.id]);
    expect(rows).toEqual([{ sku: 'SLOW-1' }]);
    await untilReleased(decoded.workerId);
  });
});
