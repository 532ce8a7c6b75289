import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

describe('GET /metrics', () => {
  let setUp: SetUp;
  let orders: OrdersProcess;

  beforeAll(async () => {
    setUp = await makeSetUp('SQLite', 'orders-metrics');
    // One request a minute: Prometheus must not run into the limit of clients.
    orders = await OrdersProcess.start({ ...setUp.env, RATE_LIMIT_REQUESTS: '1' });
  });
  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  it('shows the IDs that were issued', async () => {
    await orders.client.newCustomer('ada');
    for (const _ of [1, 2]) {
      const response = await fetch(`${orders.client.url}/metrics`);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(await response.text()).toContain('snowflake_ids_issued_total{snowflake_instance="default"} 1');
    }
  });
});
