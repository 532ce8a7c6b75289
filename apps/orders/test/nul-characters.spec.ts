import { Client } from 'pg';
import type { CustomerBody, ErrorBody, OrdersClient } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, SET_UPS, type SetUp } from './support/set-ups.js';

const NUL = '\0';
const message = (name: string): string => `${name} must not contain the NUL character (U+0000)`;

describe.each(SET_UPS)('a NUL character on %s', (name) => {
  let setUp: SetUp;
  let orders: OrdersProcess;
  let client: OrdersClient;
  let customer: CustomerBody;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-nul');
    orders = await OrdersProcess.start(setUp.env);
    client = orders.client;
    customer = await client.newCustomer('terminated');
  });
  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  it.each([
    ['name', { name: `Ada${NUL}`, email: 'a@example.com' }],
    ['name', { name: NUL, email: 'a@example.com' }],
    ['email', { name: 'Ada', email: `a${NUL}@example.com` }],
    ['email', { name: 'Ada', email: `"a${NUL}"@example.com` }],
  ])('in the %s of a customer gets 400', async (path, body) => {
    const answer = await client.post<ErrorBody>('/customers', body);
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status: 400,
      message: [message(path)],
    });
  });

  it.each([
    ['customerId', {}, { customerId: `5${NUL}` }],
    ['lines.0.sku', { sku: `A${NUL}` }, {}],
    ['lines.0.unitPrice', { unitPrice: `1${NUL}` }, {}],
  ])('in the %s of an order gets 400', async (path, line, order) => {
    const lines = [{ sku: 'A', quantity: 1, unitPrice: '1', ...line }];
    const answer = await client.post<ErrorBody>('/orders', { customerId: customer.id, lines, ...order });
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status: 400,
      message: [message(path)],
    });
  });

  it.each([
    ['id', '/orders/5%00'],
    ['id', '/ids/%00'],
    ['after', '/products?after=5%00'],
    ['from', '/orders?from=2026-01-01%00'],
  ])('in the %s of %s gets 400', async (path, url) => {
    const answer = await client.get<ErrorBody>(url);
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status: 400,
      message: [message(path)],
    });
  });
});

// Control: what would happen without the check.
it('PostgreSQL would refuse the row', async () => {
  const setUp = await makeSetUp('PostgreSQL + Redis', 'orders-nul-control');
  const database = new Client({ connectionString: setUp.env['DATABASE_URL'] });
  await database.connect();
  try {
    await expect(database.query('SELECT $1::text', [NUL])).rejects.toThrow('invalid byte sequence');
  } finally {
    await database.end();
    await setUp.remove();
  }
});
