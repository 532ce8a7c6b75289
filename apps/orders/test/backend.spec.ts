import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { startedApp } from '../../shared/test/support/started-app.js';
import { heldLeases, untilNoLeaseIsHeld } from './support/held-leases.js';
import type {
  Answer,
  CustomerBody,
  ErrorBody,
  InvoiceBody,
  OrderBody,
  OrdersClient,
  PageBody,
} from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { refuseRows } from './support/refusals.js';
import { makeSetUp, SET_UPS, type SetUp } from './support/set-ups.js';

const decoder = new IdDecoder(new BitLayout({ workerBits: 10, sequenceBits: 12 }, '2024-01-01T00:00:00Z'));
const ID = /^[1-9]\d{15,18}$/;
const FAULT = { statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' };

interface TicketBody {
  readonly number: number;
  readonly customerId: string;
  readonly subject: string;
}

const numbersOf = (answers: readonly Answer<InvoiceBody>[]): string[] =>
  answers.map(({ body }) => body.number).sort();
const numbers = (year: number, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `INV-${year}-${String(from + at).padStart(5, '0')}`);

/** One process serves all tests of a set-up. Later tests find the rows of earlier ones. */
describe.each(SET_UPS)('the orders backend on %s', (name) => {
  let setUp: SetUp;
  let client: OrdersClient;
  let customer: CustomerBody;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-backend');
  });
  afterAll(() => setUp?.remove());
  const orders = startedApp(() => OrdersProcess.spawn(setUp.env));
  beforeAll(async () => {
    ({ client } = orders());
    customer = await client.newCustomer('buyer');
  });

  describe('customers', () => {
    it('creates a customer whose ID is a string', async () => {
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

    it('refuses a second customer with the same e-mail address', async () => {
      await client.newCustomer('unique');
      const again = await client.post<ErrorBody>('/customers', {
        name: 'Other',
        email: 'UNIQUE@example.com',
      });
      expect(again.status).toBe(409);
      expect(again.body.message).toBe('A customer with the e-mail unique@example.com already exists');
    });

    it("responds with 404 for a customer that doesn't exist", async () => {
      const answer = await client.get<ErrorBody>('/customers/1234567890123456789');
      expect(answer).toMatchObject({
        status: 404,
        body: { message: 'There is no customer 1234567890123456789' },
      });
    });
  });

  describe('orders', () => {
    it('stores an order with its lines and products, and returns the same later', async () => {
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

    it('creates a new product once if many orders need it at the same time', async () => {
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

    it('refuses the order of an unknown customer with 422 and writes no rows', async () => {
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

    it("responds with 404 for an order that doesn't exist", async () => {
      const answer = await client.get<ErrorBody>('/orders/1234567890123456789');
      expect(answer).toMatchObject({
        status: 404,
        body: { message: 'There is no order 1234567890123456789' },
      });
    });

    it('lists orders in pages without gaps or duplicates', async () => {
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

    it('filters orders by a time range that includes both ends', async () => {
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

    it('accepts a time range beyond the times that an ID can hold', async () => {
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

  describe('invoices [promise: series]', () => {
    const invoice = (orderId: string, issuedOn: string): Promise<Answer<InvoiceBody>> =>
      client.post<InvoiceBody>('/invoices', { orderId, issuedOn });
    const invoiceNewOrder = async (issuedOn: string): Promise<Answer<InvoiceBody>> =>
      invoice((await client.newOrder(customer.id)).id, issuedOn);

    it('numbers invoices in their order, starts again each year, and returns the same later', async () => {
      const first = await invoiceNewOrder('2026-12-30');
      expect(first).toMatchObject({
        status: 201,
        body: {
          id: expect.stringMatching(ID),
          number: 'INV-2026-00001',
          issuedOn: '2026-12-30',
          total: '19.90',
        },
      });
      expect((await client.get<InvoiceBody>(`/invoices/${first.body.id}`)).body).toEqual(first.body);
      expect((await invoiceNewOrder('2027-01-01')).body.number).toBe('INV-2027-00001');
      expect((await invoiceNewOrder('2026-12-31')).body.number).toBe('INV-2026-00002');
    });

    it('leaves no gap between invoices if many are written at the same time and some are refused', async () => {
      await refuseRows(setUp, 'invoices', 'issuedOn', '2028-02-29');
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => invoiceNewOrder(at % 4 === 1 ? '2028-02-29' : '2028-03-01')),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 4 === 1 ? 500 : 201)));
      expect(numbersOf(answers.filter(({ status }) => status === 201))).toEqual(numbers(2028, 1, 15));
    });

    it('writes one invoice for an order if many requests come at the same time', async () => {
      const { id } = await client.newOrder(customer.id);
      const answers = await Promise.all(Array.from({ length: 12 }, () => invoice(id, '2029-05-01')));
      expect(new Set(numbersOf(answers))).toEqual(new Set(numbers(2029, 1, 1)));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect((await invoiceNewOrder('2029-05-01')).body.number).toBe('INV-2029-00002');
    });

    it('refuses the invoice of an unknown order or with a wrong date', async () => {
      const unknown = await client.post<ErrorBody>('/invoices', {
        orderId: '1234567890123456789',
        issuedOn: '2030-01-01',
      });
      expect(unknown).toMatchObject({
        status: 422,
        body: { message: 'orderId: there is no order 1234567890123456789' },
      });
      const { id } = await client.newOrder(customer.id);
      for (const issuedOn of ['2030-02-30', '30.1.2030', '2030-01-01T00:00:00Z', 20300101, null]) {
        const answer = await client.post<ErrorBody>('/invoices', { orderId: id, issuedOn });
        expect({ issuedOn, status: answer.status }).toEqual({ issuedOn, status: 400 });
      }
      expect((await invoice(id, '2030-01-01')).body.number).toBe('INV-2030-00001');
      expect((await client.get('/invoices/1234567890123456789')).status).toBe(404);
    });
  });

  describe('orders that fail half-way [promise: exact-keys]', () => {
    const ORDERS = 20;
    /** SKUs of the products that were first sold in these orders. */
    const soldNow = async (): Promise<string[]> => {
      const pages = await client.pages<{ sku: string }>('/products', 100);
      return pages
        .flatMap(({ items }) => items.map(({ sku }) => sku))
        .filter((sku) => /^(GOOD|BAD)-/.test(sku));
    };
    const allOrders = async (): Promise<string[]> => {
      const pages = await client.pages<OrderBody>('/orders', 100);
      return pages.flatMap(({ items }) => items.map(({ id }) => id));
    };

    it('writes no rows of an order that fails half-way and affects no other order', async () => {
      // Its order, its products and its first line are inserted before the line that the database refuses.
      await refuseRows(setUp, 'order_lines', 'quantity', 13);
      const before = await allOrders();
      const answers = await Promise.all(
        Array.from({ length: ORDERS }, (_, at) => {
          const sold = at % 2 === 0 ? { [`GOOD-${at}`]: 1 } : { [`BAD-${at}`]: 1, [`BAD-${at}-13`]: 13 };
          const lines = Object.entries(sold).map(([sku, quantity]) => ({ sku, quantity, unitPrice: '1' }));
          return client.post<OrderBody>('/orders', { customerId: customer.id, lines });
        }),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 2 === 0 ? 201 : 500)));
      const [good, bad] = [201, 500].map((status) => answers.filter((answer) => answer.status === status));
      for (const { body } of bad!) expect(body).toEqual(FAULT);
      expect((await allOrders()).sort()).toEqual([...before, ...good!.map(({ body }) => body.id)].sort());
      expect((await soldNow()).sort()).toEqual(
        answers.flatMap((_, at) => (at % 2 ? [] : [`GOOD-${at}`])).sort(),
      );
    });
  });

  describe('support tickets', () => {
    const openTicket = (subject: string, customerId = customer.id): Promise<Answer<TicketBody>> =>
      client.post<TicketBody>('/tickets', { customerId, subject });

    it('gives tickets short numbers in order', async () => {
      const first = await openTicket('no plug');
      expect(first).toMatchObject({
        status: 201,
        body: { number: 1, customerId: customer.id, subject: 'no plug' },
      });
      expect((await openTicket('no bulb')).body.number).toBe(2);
      const found = await client.get('/tickets/2');
      expect(found).toMatchObject({ status: 200, body: { number: 2, subject: 'no bulb' } });
    });

    it('refuses a ticket without a customer or subject, and a number without a ticket', async () => {
      expect((await openTicket('who?', '1234567890123456789')).status).toBe(422);
      expect((await openTicket('')).status).toBe(400);
      expect((await client.get<ErrorBody>('/tickets/999')).body.message).toBe('There is no ticket 999');
      expect((await client.get<ErrorBody>('/tickets/one')).status).toBe(400);
    });
  });

  it('decodes an ID', async () => {
    const { id } = customer;
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

  // Stays the last one: it ends the process that the others use.
  it('releases its worker ID on SIGTERM and exits with 0', async () => {
    expect(await heldLeases(setUp)).toEqual([0]);
    expect(await orders().stop()).toEqual({ code: 0, signal: null });
    await untilNoLeaseIsHeld(setUp);
  });
});
