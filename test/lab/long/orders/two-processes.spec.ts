import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomerBody } from '../../../../apps/orders/test/support/orders-client.js';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';

const CUSTOMERS = 40;

describe('two backends on one SQLite file, without any server', () => {
  let directory: string;
  const backends: OrdersProcess[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'orders-two-'));
  });
  afterEach(async () => {
    await Promise.all(backends.splice(0).map((backend) => backend.stop()));
    rmSync(directory, { recursive: true });
  });

  async function start(count: number, env: Record<string, string> = {}): Promise<void> {
    const started = Array.from({ length: count }, () =>
      OrdersProcess.start({ HEALTH_DETAILS: 'true', ...env }, directory),
    );
    backends.push(...(await Promise.all(started)));
  }

  async function workerIdOf({ client }: OrdersProcess): Promise<number> {
    const { body } = await client.untilHealthy<{ details: { snowflake: { workerId: number } } }>();
    return body.details.snowflake.workerId;
  }

  it('two backends start at once, hold different worker IDs and generate no ID twice, and a third one does not reuse that of a killed one until its window has ended', async () => {
    await start(2);
    const workerIds = await Promise.all(backends.map(workerIdOf));
    expect(workerIds.sort()).toEqual([0, 1]);

    const made = await Promise.all(
      backends.map(async ({ client }, backend) => {
        const customers: CustomerBody[] = [];
        const ids: string[] = [];
        for (let index = 0; index < CUSTOMERS; index += 1) {
          const customer = await client.newCustomer(`customer-${backend}-${index}`);
          const order = await client.newOrder(customer.id, `SKU-${index}`);
          customers.push(customer);
          ids.push(customer.id, order.id, ...order.lines.map(({ id }) => id));
        }
        return { customers, ids };
      }),
    );
    const ids = made.flatMap((part) => part.ids);
    expect(ids).toHaveLength(2 * CUSTOMERS * 3);
    expect(new Set(ids).size).toBe(ids.length);

    for (const [backend, { customers }] of made.entries()) {
      const other = backends[1 - backend]!;
      const [customer] = customers;
      expect((await other.client.get<CustomerBody>(`/customers/${customer!.id}`)).body).toEqual(customer);
    }

    const [killed] = backends;
    killed!.signal('SIGKILL');
    await killed!.untilEnd();
    await start(1);
    expect(await workerIdOf(backends[2]!)).toBe(2);
  });

  // Control: with a fixed worker ID, nothing separates the two.
  it('two backends share a fixed worker ID (control)', async () => {
    await start(2, { WORKER_ID: '7' });
    expect(await Promise.all(backends.map(workerIdOf))).toEqual([7, 7]);
  });
});
