import type { CustomerBody, OrderBody, OrdersClient } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

interface GraphqlBody {
  readonly data?: {
    readonly order: { readonly id: string; readonly customerId: string; readonly total: string };
  };
  readonly errors?: { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

const ORDER = 'query Order($id: SnowflakeID!) { order(id: $id) { id customerId createdAt total } }';

describe('the GraphQL API of the orders backend', () => {
  let setUp: SetUp;
  let orders: OrdersProcess;
  let client: OrdersClient;
  let customer: CustomerBody;

  beforeAll(async () => {
    setUp = await makeSetUp('SQLite', 'orders-graphql');
    // A window that outlasts the spec, so that the count does not begin anew between two requests.
    const limit = { RATE_LIMIT_REQUESTS: '20', RATE_LIMIT_WINDOW_MS: '3600000' };
    orders = await OrdersProcess.start({ ...setUp.env, ...limit });
    client = orders.client;
    customer = await client.newCustomer('ada');
  });
  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  const ask = async (query: string, variables = {}): Promise<GraphqlBody> =>
    (await client.post<GraphqlBody>('/graphql', { query, variables })).body;

  it('shows an order, with IDs as strings', async () => {
    const lines = [{ sku: 'BOOK-1', quantity: 2, unitPrice: '19.90' }];
    const { body: order } = await client.post<OrderBody>('/orders', { customerId: customer.id, lines });
    expect(await ask(ORDER, { id: order.id })).toEqual({
      data: { order: { id: order.id, customerId: customer.id, createdAt: order.createdAt, total: '39.80' } },
    });
  });

  it('refuses a number, which may have been rounded', async () => {
    const { errors } = await ask('{ order(id: 382475217496248322) { id } }');
    expect(errors).toEqual([
      expect.objectContaining({
        extensions: expect.objectContaining({ snowflakeCode: 'SNOWFLAKE_INVALID_ID' }),
      }),
    ]);
  });

  it('says that there is no such order, without a stack trace', async () => {
    const { errors } = await ask(ORDER, { id: '1' });
    expect(errors).toEqual([expect.objectContaining({ message: 'There is no order 1' })]);
    expect(JSON.stringify(errors)).not.toContain('node_modules');
  });

  it('counts requests like those of the other endpoints', async () => {
    for (let request = 0; request < 20; request++) await ask(ORDER, { id: '1' });
    const { errors } = await ask(ORDER, { id: '1' });
    expect(errors?.[0]?.message).toContain('Too many requests');
  });
});
