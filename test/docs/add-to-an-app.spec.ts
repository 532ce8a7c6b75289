import 'reflect-metadata';
import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { fakeIdMaker } from 'nestjs-snowflake/testing';
import { Pool } from 'pg';
import { databaseFor } from '../support/servers/index.js';
import { PageCode } from './page-code.js';

interface Repository {
  create(item: string): Promise<string>;
}

const page = new PageCode('docs/guides/add-to-an-app.md');
const db = new Pool({ connectionString: await databaseFor('postgres', 'add to an app') });
afterAll(() => db.end());

it('the repository on raw SQL inserts a row whose ID comes back exactly', async () => {
  const [column = ''] = /(?<=`)id bigint[^`]*/.exec(page.page.prose) ?? [];
  await db.query(`CREATE TABLE orders (${column}, item text NOT NULL)`);
  const OrdersRepository = await page.run<new (ids: SnowflakeIdMaker, pool: Pool) => Repository>(
    'src/orders.repository.ts',
    'OrdersRepository',
  );
  const id = '9007199254740993'; // JavaScript has no such number
  expect(await new OrdersRepository(fakeIdMaker({ start: id }), db).create('PEN')).toBe(id);
  expect((await db.query('SELECT id, item FROM orders')).rows).toEqual([{ id, item: 'PEN' }]);
});
