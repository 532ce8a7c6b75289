import libsql from 'libsql';
import { Client } from 'pg';
import type { OrderBody, PageBody } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp, type SetUpName } from './support/set-ups.js';

const ORDERS = 20;
const LOCK_WITHIN_MS = 30_000;
const FAULT = { statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' };

/** Makes the database refuse order lines with the SKU POISON, after their order and product are inserted. */
const poison: Partial<Record<SetUpName, (setUp: SetUp) => Promise<void>>> = {
  SQLite: async ({ env }) => {
    // The backend may be renewing its lease in this file.
    const database = new libsql(env['SQLITE_PATH']!, { timeout: LOCK_WITHIN_MS });
    database.exec(
      `CREATE TRIGGER poison BEFORE INSERT ON order_lines WHEN NEW.sku = 'POISON'
       BEGIN SELECT RAISE(ABORT, 'poisoned'); END`,
    );
    database.close();
  },
  'PostgreSQL + Redis': async ({ env }) => {
    const database = new Client({ connectionString: env['DATABASE_URL'] });
    await database.connect();
    await database.query(`ALTER TABLE order_lines ADD CHECK (sku <> 'POISON')`);
    await database.end();
  },
};

describe.each(Object.keys(poison) as SetUpName[])('orders that fail half-way on %s', (name) => {
  let setUp: SetUp;
  let orders: OrdersProcess;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-transactions');
    orders = await OrdersProcess.start(setUp.env);
    await poison[name]?.(setUp);
  });

  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  it('write no rows and affect no other order', async () => {
    const { client } = orders;
    const customer = await client.newCustomer('unlucky');
    const answers = await Promise.all(
      Array.from({ length: ORDERS }, (_, at) => {
        const skus = at % 2 === 0 ? [`GOOD-${at}`] : [`BAD-${at}`, 'POISON'];
        const lines = skus.map((sku) => ({ sku, quantity: 1, unitPrice: '1' }));
        return client.post<OrderBody>('/orders', { customerId: customer.id, lines });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 2 === 0 ? 201 : 500)));
    for (const { body } of answers.filter(({ status }) => status === 500)) {
      expect(body).toEqual(FAULT);
    }

    const good = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    const kept = await client.get<PageBody<OrderBody>>('/orders?limit=100');
    expect(kept.body.items.map(({ id }) => id).sort()).toEqual(good.sort());
    const products = await client.get<PageBody<{ sku: string }>>('/products?limit=100');
    expect(products.body.items).toHaveLength(ORDERS / 2);
    expect(products.body.items.every(({ sku }) => sku.startsWith('GOOD-'))).toBe(true);
  });
});
