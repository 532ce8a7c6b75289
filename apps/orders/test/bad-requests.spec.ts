import { Client } from 'pg';
import { databaseFor } from '../../../test/support/servers/index.js';
import { startedApp } from '../../shared/test/support/started-app.js';
import type { CustomerBody, ErrorBody, OrdersClient } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

const NUL = '\0';
const HOW = 'Send the ID as the API returned it: a string of 1 to 19 digits, at most 9223372036854775807.';
const TIME = 'must be an ISO 8601 time with Z or an offset, for example 2026-03-31T12:00:00Z';
const AMOUNT =
  'unitPrice must be an amount from 0 to 9999999.99 with at most two decimals, for example "19.90"';

describe('the orders backend, given a bad request,', () => {
  let setUp: SetUp;
  let client: OrdersClient;
  let customer: CustomerBody;

  beforeAll(async () => {
    setUp = await makeSetUp('SQLite', 'orders-bad-requests');
  });
  afterAll(() => setUp?.remove());
  const orders = startedApp(() => OrdersProcess.spawn(setUp.env));
  beforeAll(async () => {
    ({ client } = orders());
    customer = await client.newCustomer('careful');
  });

  function expect400(
    { status, body, text }: { status: number; body: ErrorBody; text: string },
    message: string,
  ): void {
    expect({ status, messages: [body.message].flat() }).toEqual({ status: 400, messages: [message] });
    expect(text).not.toContain('node_modules');
  }

  it.each([
    ['a letter', 'abc', 'contains a character other than decimal digits'],
    ['a sign', '-1', 'contains a character other than decimal digits'],
    ['2^63', '9223372036854775808', 'exceeds 63 bits'],
    ['20 digits', '18446744073709551615', 'is too long'],
    ['a leading zero', '01', 'has a leading zero'],
  ])('refuses an ID with %s', async (_, id, problem) => {
    const message = (name: string): string => `${name} is not a valid ID: it ${problem}. ${HOW}`;
    expect400(await client.get(`/orders/${id}`), message('id'));
    expect400(await client.get(`/customers/${id}`), message('id'));
    expect400(await client.get(`/ids/${id}`), message('id'));
    expect400(await client.get(`/orders?after=${id}`), message('after'));
    expect400(await client.get(`/products?after=${id}`), message('after'));
    const lines = [{ sku: 'A', quantity: 1, unitPrice: '1' }];
    expect400(await client.post('/orders', { customerId: id, lines }), message('customerId'));
  });

  it.each([
    ['a JSON number', '297318620053504000', "is a JSON number, which can't hold 64 bits exactly"],
    ['a small JSON number', '5', "is a JSON number, which can't hold 64 bits exactly"],
    ['null', 'null', 'is missing'],
    ['an object', '{"id":"5"}', 'is not a string'],
    ['an empty string', '""', 'is empty'],
  ])('refuses an ID that is %s', async (_, id, problem) => {
    const body = `{"customerId":${id},"lines":[{"sku":"A","quantity":1,"unitPrice":"1"}]}`;
    expect400(await client.post('/orders', body), `customerId is not a valid ID: it ${problem}. ${HOW}`);
  });

  it('refuses an order without a customer', async () => {
    const lines = [{ sku: 'A', quantity: 1, unitPrice: '1' }];
    expect400(await client.post('/orders', { lines }), `customerId is not a valid ID: it is missing. ${HOW}`);
  });

  it.each([
    [{ quantity: 0 }, 'lines.0.quantity must not be less than 1'],
    [{ quantity: 10_001 }, 'lines.0.quantity must not be greater than 10000'],
    [{ quantity: 1.5 }, 'lines.0.quantity must be an integer number'],
    [{ unitPrice: '1.005' }, `lines.0.${AMOUNT}`],
    [{ unitPrice: -1 }, `lines.0.${AMOUNT}`],
    [{ unitPrice: 1e21 }, `lines.0.${AMOUNT}`],
    [{ unitPrice: '10000000' }, `lines.0.${AMOUNT}`],
    [{ discount: 1 }, 'lines.0.property discount should not exist'],
  ])('refuses an order line with %j', async (wrong, message) => {
    const lines = [{ sku: 'A', quantity: 1, unitPrice: '1', ...wrong }];
    expect400(await client.post('/orders', { customerId: customer.id, lines }), message);
  });

  it('refuses an invalid SKU', async () => {
    const lines = [{ sku: 'A B', quantity: 1, unitPrice: '1' }];
    const message = 'lines.0.sku must be 1 to 40 letters, digits, dots, dashes or underscores';
    expect400(await client.post('/orders', { customerId: customer.id, lines }), message);
  });

  it('refuses an order without lines or with too many', async () => {
    const none = await client.post<ErrorBody>('/orders', { customerId: customer.id, lines: [] });
    expect400(none, 'lines should not be empty');
    const lines = Array.from({ length: 101 }, () => ({ sku: 'A', quantity: 1, unitPrice: '1' }));
    const many = await client.post<ErrorBody>('/orders', { customerId: customer.id, lines });
    expect400(many, 'lines must contain no more than 100 elements');
  });

  it('refuses a customer with an invalid e-mail address, an empty name or an unknown property', async () => {
    expect400(await client.post('/customers', { name: 'A', email: 'nobody' }), 'email must be an email');
    expect400(
      await client.post('/customers', { name: '', email: 'a@example.com' }),
      'name should not be empty',
    );
    const own = { name: 'A', email: 'a@example.com', id: '1' };
    expect400(await client.post('/customers', own), 'property id should not exist');
  });

  it.each([
    ['limit=0', 'limit must not be less than 1'],
    ['limit=101', 'limit must not be greater than 100'],
    ['limit=2.5', 'limit must be an integer number'],
    ['from=yesterday', `from ${TIME}`],
    ['from=1', `from ${TIME}`],
    ['from=2026-02-30', `from ${TIME}`],
    ['to=2026-03-31T12:00:00', `to ${TIME}`],
    ['from=2026-04-02&to=2026-04-01', 'from must not be later than to'],
    ['page=2', 'property page should not exist'],
  ])('refuses a list of orders with the query %s', async (query, message) => {
    expect400(await client.get(`/orders?${query}`), message);
  });

  it('refuses a body that is not JSON', async () => {
    const { status, text } = await client.post('/customers', '{"name":');
    expect(status).toBe(400);
    expect(text).not.toContain('node_modules');
  });

  const nulIn = (name: string): string => `${name} must not contain the NUL character (U+0000)`;

  it.each([
    ['name', { name: `Ada${NUL}`, email: 'a@example.com' }],
    ['name', { name: NUL, email: 'a@example.com' }],
    ['email', { name: 'Ada', email: `a${NUL}@example.com` }],
    ['email', { name: 'Ada', email: `"a${NUL}"@example.com` }],
  ])('refuses a NUL character in the %s of a customer', async (path, body) => {
    expect400(await client.post('/customers', body), nulIn(path));
  });

  it.each([
    ['customerId', {}, { customerId: `5${NUL}` }],
    ['lines.0.sku', { sku: `A${NUL}` }, {}],
    ['lines.0.unitPrice', { unitPrice: `1${NUL}` }, {}],
  ])('refuses a NUL character in the %s of an order', async (path, line, order) => {
    const lines = [{ sku: 'A', quantity: 1, unitPrice: '1', ...line }];
    expect400(await client.post('/orders', { customerId: customer.id, lines, ...order }), nulIn(path));
  });

  it.each([
    ['id', '/orders/5%00'],
    ['id', '/ids/%00'],
    ['after', '/products?after=5%00'],
    ['from', '/orders?from=2026-01-01%00'],
  ])('refuses a NUL character in the %s of %s', async (path, url) => {
    expect400(await client.get(url), nulIn(path));
  });
});

it('PostgreSQL refuses a row with a NUL character (control)', async () => {
  const database = new Client({ connectionString: await databaseFor('postgres', 'orders-nul-control') });
  await database.connect();
  try {
    await expect(database.query('SELECT $1::text', [NUL])).rejects.toThrow('invalid byte sequence');
  } finally {
    await database.end();
  }
});
