import { DataSource } from 'typeorm';
import { connectionOptions } from '../src/database/database-options.js';
import type { Answer, CustomerBody, ErrorBody, InvoiceBody, OrdersClient } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, SET_UPS, type SetUp } from './support/set-ups.js';

const LOCK_WITHIN_MS = 30_000;
const ID = /^[1-9]\d{15,18}$/;
const numbersOf = (answers: readonly Answer<InvoiceBody>[]): string[] =>
  answers.map(({ body }) => body.number).sort();
const numbers = (year: number, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `INV-${year}-${String(from + at).padStart(5, '0')}`);

/** Makes the database refuse every invoice of a date. */
async function refuse({ env }: SetUp, issuedOn: string): Promise<void> {
  const { DATABASE_URL: url, SQLITE_PATH: sqlitePath = '' } = env;
  const options = connectionOptions({ url, sqlitePath, lockTimeoutMs: LOCK_WITHIN_MS });
  // The backend may be renewing its lease in the file of SQLite.
  const patient = options.type === 'better-sqlite3' ? { ...options, timeout: LOCK_WITHIN_MS } : options;
  const dataSource = await new DataSource(patient).initialize();
  const isRefused = `${dataSource.driver.escape('issuedOn')} = '${issuedOn}'`;
  await dataSource.query(
    url === undefined
      ? `CREATE TRIGGER refused BEFORE INSERT ON invoices WHEN NEW.${isRefused} BEGIN SELECT RAISE(ABORT, 'refused'); END`
      : `ALTER TABLE invoices ADD CHECK (NOT ${isRefused})`,
  );
  await dataSource.destroy();
}

describe.each(SET_UPS)('the invoices of the orders backend on %s [promise: series]', (name) => {
  let setUp: SetUp;
  let orders: OrdersProcess;
  let client: OrdersClient;
  let customer: CustomerBody;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-invoices');
    orders = await OrdersProcess.start(setUp.env);
    client = orders.client;
    customer = await client.newCustomer('payer');
  });

  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  const invoice = (orderId: string, issuedOn: string): Promise<Answer<InvoiceBody>> =>
    client.post<InvoiceBody>('/invoices', { orderId, issuedOn });
  const invoiceNewOrder = async (issuedOn: string): Promise<Answer<InvoiceBody>> =>
    invoice((await client.newOrder(customer.id)).id, issuedOn);

  it('are numbered in their order, anew each year, and read back the same', async () => {
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

  it('have no gap, even if many are written at the same time and some are refused', async () => {
    await refuse(setUp, '2028-02-29');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => invoiceNewOrder(at % 4 === 1 ? '2028-02-29' : '2028-03-01')),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 4 === 1 ? 500 : 201)));
    expect(numbersOf(answers.filter(({ status }) => status === 201))).toEqual(numbers(2028, 1, 15));
  });

  it('are written once for an order, even if many requests come at the same time', async () => {
    const { id } = await client.newOrder(customer.id);
    const answers = await Promise.all(Array.from({ length: 12 }, () => invoice(id, '2029-05-01')));
    expect(new Set(numbersOf(answers))).toEqual(new Set(numbers(2029, 1, 1)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await invoiceNewOrder('2029-05-01')).body.number).toBe('INV-2029-00002');
  });

  it('of an unknown order or a wrong date are refused', async () => {
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
