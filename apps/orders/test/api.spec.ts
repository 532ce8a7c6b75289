import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import type { CustomerBody, ErrorBody, OrderBody, OrdersClient, PageBody } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, SET_UPS, type SetUp } from './support/set-ups.js';

const decoder = new IdDecoder(new BitLayout({ workerBits: 10, sequenceBits: 12 }, '2024-01-01T00:00:00Z'));
const ID = /^[1-9]\d{15,18}$/;

describe.each(SET_UPS)('the orders backend on %s', (name) => {
  let setUp: SetUp;
  let orders: OrdersProcess;
  let client: OrdersClient;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-api');
    orders = await OrdersProcess.start(setUp.env);
    client = orders.client;
  });

  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  describe('customers', () => {
    it('get an ID that is a string', async () => {
      const created = await client.post<CustomerBody>('/customers', {
        name: 'Zoë Ærø 🎈',
        email: ' Zoe@Example.com ',
      });
      expect(created.status).toBe(201);
      expect(created.body).toEqual({
        id: expect.stringMatching(ID),
        name: 'Zoë Ærø 🎈',
        email: 'zoe@example.com',
      });
      const found = await client.get<CustomerBody>(`/customers/${created.body.id}`);
      expect(found).toMatchObject({ status: 200, body: created.body });
    });

    it('have unique e-mail addresses', async () => {
      await client.newCustomer('unique');
      const again = await client.post<ErrorBody>('/customers', {
        name: 'Other',
        email: 'UNIQUE@example.com',
      });
      expect(again.status).toBe(409);
      expect(again.body.message).toBe('A customer with the e-mail unique@example.com already exists');
    });

    it("respond with 404 if they don't exist", async () => {
      const answer = await client.get<ErrorBody>('/customers/1234567890123456789');
      expect(answer).toMatchObject({
        status: 404,
        body: { message: 'There is no customer 1234567890123456789' },
      });
    });
  });

  describe('orders', () => {
    let customer: CustomerBody;

    beforeAll(async () => {
      customer = await client.newCustomer('buyer');
    });

    it('are created with lines and products, and read back the same', async () => {
      const lines = [
        { sku: 'LAMP-7', quantity: 2, unitPrice: '19.90' },
        { sku: 'PEN.blue', quantity: 3, unitPrice: 0.1 },
        { sku: 'LAMP-7', quantity: 1, unitPrice: '9999999.99' },
      ];
      const created = await client.post<OrderBody>('/orders', { customerId: customer.id, lines });
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({
        id: expect.stringMatching(ID),
        customerId: customer.id,
        lines: [
          { id: expect.stringMatching(ID), sku: 'LAMP-7', quantity: 2, unitPrice: '19.90' },
          { id: expect.stringMatching(ID), sku: 'PEN.blue', quantity: 3, unitPrice: '0.10' },
          { id: expect.stringMatching(ID), sku: 'LAMP-7', quantity: 1, unitPrice: '9999999.99' },
        ],
        total: '10000040.09',
      });
      expect(created.body.products.map(({ sku }) => sku).sort()).toEqual(['LAMP-7', 'PEN.blue']);
      expect(created.body.createdAt).toBe(decoder.decode(created.body.id).timestamp.toISOString());
      const found = await client.get<OrderBody>(`/orders/${created.body.id}`);
      expect(found).toMatchObject({ status: 200, body: created.body });
    });

    it('create a new product once, even if many order it at the same time', async () => {
      const skus = ['NEW-1', 'NEW-2', 'NEW-3'];
      const attempts = Array.from({ length: 24 }, (_, at) => {
        const lines = [0, 1, 2].map((turn) => ({ sku: skus[(at + turn) % 3], quantity: 1, unitPrice: '1' }));
        return client.post<OrderBody>('/orders', { customerId: customer.id, lines });
      });
      const answers = await Promise.all(attempts);
      expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
      const ids = answers.flatMap(({ body }) => [body.id, ...body.lines.map((line) => line.id)]);
      expect(new Set(ids).size).toBe(24 * 4);
      const products = answers.flatMap(({ body }) => body.products.map(({ id, sku }) => `${sku} ${id}`));
      expect(new Set(products).size).toBe(3);
    });

    it('of an unknown customer respond with 422 and write no rows', async () => {
      const lines = [{ sku: 'NEVER-SOLD', quantity: 1, unitPrice: '1' }];
      const answer = await client.post<ErrorBody>('/orders', { customerId: '1234567890123456789', lines });
      expect(answer.status).toBe(422);
      expect(answer.body.message).toBe(
        'customerId: there is no customer 1234567890123456789. Create one with POST /customers first.',
      );
      const pages = await client.pages<{ sku: string }>('/products', 100);
      const skus = pages.flatMap(({ items }) => items.map(({ sku }) => sku));
      expect(skus).toContain('LAMP-7');
      expect(skus).not.toContain('NEVER-SOLD');
    });

    it("respond with 404 if they don't exist", async () => {
      const answer = await client.get<ErrorBody>('/orders/1234567890123456789');
      expect(answer).toMatchObject({
        status: 404,
        body: { message: 'There is no order 1234567890123456789' },
      });
    });

    it('come in pages without gaps or duplicates', async () => {
      const made: string[] = [];
      for (let at = 0; at < 7; at += 1) made.push((await client.newOrder(customer.id)).id);
      const pages = await client.pages<OrderBody>('/orders', 3);
      expect(pages.slice(0, -1).every(({ items }) => items.length === 3)).toBe(true);
      const ids = pages.flatMap(({ items }) => items.map(({ id }) => id));
      expect(ids.slice(-7)).toEqual(made);
      const all = await client.get<PageBody<OrderBody>>('/orders?limit=100');
      expect(ids).toEqual(all.body.items.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      expect(all.body.items.every(({ lines, products }) => lines.length > 0 && products.length > 0)).toBe(
        true,
      );
    });

    it('can be filtered by a time range that includes both ends', async () => {
      const { body } = await client.get<PageBody<OrderBody>>('/orders?limit=100');
      const times = [...new Set(body.items.map(({ createdAt }) => createdAt))];
      const [from, to] = [times[1], times.at(-2)];
      const expected = body.items.filter(({ createdAt }) => createdAt >= from! && createdAt <= to!);
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(body.items.length);
      const ranged = await client.get<PageBody<OrderBody>>(`/orders?limit=100&from=${from}&to=${to}`);
      expect(ranged.body).toEqual({ items: expected, next: null });
      const [first, ...rest] = expected;
      const second = await client.get<PageBody<OrderBody>>(
        `/orders?limit=100&from=${from}&to=${to}&after=${first!.id}`,
      );
      expect(second.body.items).toEqual(rest);
    });

    it('can be filtered by bounds outside the range of IDs', async () => {
      const all = await client.get<PageBody<OrderBody>>('/orders?limit=100');
      const wide = await client.get<PageBody<OrderBody>>(
        '/orders?limit=100&from=1970-01-01&to=2999-12-31T00:00:00Z',
      );
      expect(wide.body).toEqual(all.body);
      const past = await client.get<PageBody<OrderBody>>('/orders?to=2023-12-31');
      expect(past.body).toEqual({ items: [], next: null });
      const future = await client.get<PageBody<OrderBody>>('/orders?from=2999-01-01');
      expect(future.body).toEqual({ items: [], next: null });
    });
  });

  it('decodes an ID', async () => {
    const { id } = await client.newCustomer('decoded');
    const { timestamp, timestampMs, workerId, sequence } = decoder.decode(id);
    const answer = await client.get(`/ids/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id, timestamp: timestamp.toISOString(), timestampMs, workerId, sequence });
    expect(workerId).toBe(0);
  });

  it('reports that it is healthy', async () => {
    const { body } = await client.untilHealthy();
    expect(body).toMatchObject({
      status: 'ok',
      details: { database: { status: 'up' }, snowflake: { status: 'up' } },
    });
  });
});
