import { MissingSubscriberError } from 'nestjs-snowflake/core';
import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import type { DataSource } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { Customer, Order, OrderLine, Product, SHOP } from './support/shop.js';
import { CountingSource } from './support/sources.js';

type Write = [name: string, column: string, write: (dataSource: DataSource) => Promise<unknown>];

const instance = () => Object.assign(new Product(), { name: 'x' });

const WRITES: Write[] = [
  ['save of an instance', 'Product.id', (db) => db.manager.save(instance())],
  ['save of a plain object', 'Product.id', (db) => db.manager.save(Product, { name: 'x' })],
  ['save of an array', 'Product.id', (db) => db.manager.save([instance(), instance()])],
  ['save of a null ID', 'Product.id', (db) => db.manager.save(Product, { id: null, name: 'x' } as object)],
  ['insert of an instance', 'Product.id', (db) => db.manager.insert(Product, instance())],
  ['insert of a plain object', 'Product.id', (db) => db.manager.insert(Product, { name: 'x' })],
  [
    'insert of an array',
    'Product.id',
    (db) => db.manager.insert(Product, [{ name: 'x' }, { id: '5', name: 'y' }]),
  ],
  [
    'insert of a null ID',
    'Product.id',
    (db) => db.manager.insert(Product, { id: null, name: 'x' } as object),
  ],
  ['upsert', 'Customer.id', (db) => db.manager.upsert(Customer, { email: 'x' }, ['email'])],
  [
    'the insert query builder',
    'Product.id',
    (db) => db.createQueryBuilder().insert().into(Product).values({ name: 'x' }).execute(),
  ],
  [
    'orIgnore',
    'Product.id',
    (db) => db.createQueryBuilder().insert().into(Product).values({ name: 'x' }).orIgnore().execute(),
  ],
  ['a cascade', 'OrderLine.id', (db) => db.manager.save(Order, { id: '1', lines: [{ sku: 'x' }] })],
];

const WITHOUT_LISTENERS: Write[] = [
  ['save without listeners', 'Product.id', (db) => db.manager.save(instance(), { listeners: false })],
  [
    'the insert query builder without listeners',
    'Product.id',
    (db) =>
      db.createQueryBuilder().insert().into(Product).values({ name: 'x' }).callListeners(false).execute(),
  ],
];

/** Where TypeORM gives no subscriber a chance, and the database refuses the row. */
const BEYOND_REACH: [name: string, write: (dataSource: DataSource) => Promise<unknown>][] = [
  ['a frozen object', (db) => db.manager.insert(Product, Object.freeze({ name: 'x' }))],
  [
    'a column list without the ID',
    (db) => db.createQueryBuilder().insert().into(Product, ['name']).values({ name: 'x' }).execute(),
  ],
  [
    'a table without an entity',
    (db) => db.createQueryBuilder().insert().into('keyed', ['name']).values({ name: 'x' }).execute(),
  ],
];

async function rowsIn(dataSource: DataSource): Promise<number> {
  const counts = await Promise.all(
    [Customer, Product, Order, OrderLine].map((entity) => dataSource.manager.count(entity)),
  );
  return counts.reduce((sum, count) => sum + count);
}

describe.each(KINDS)('an insert on %s that no subscriber gave an ID', (kind) => {
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'missing subscriber', { entities: SHOP });
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  it.each([...WRITES, ...WITHOUT_LISTENERS])('fails in %s', async (_, column, write) => {
    await expect(write(dataSource)).rejects.toMatchObject({ code: 'SNOWFLAKE_MISSING_SUBSCRIBER', column });
    await expect(write(dataSource)).rejects.toThrow(MissingSubscriberError);

    await expect(rowsIn(dataSource)).resolves.toBe(0);
  });

  it('succeeds with an ID that was set by hand', async () => {
    await dataSource.manager.save(Product, { id: '17', name: 'by hand' }, { listeners: false });

    await expect(dataSource.manager.findOneBy(Product, { id: '17' })).resolves.toHaveProperty(
      'name',
      'by hand',
    );
    await dataSource.manager.delete(Product, '17');
  });

  it('is all there is to it: a subscriber mends them', async () => {
    attachSnowflake(dataSource, new CountingSource());

    for (const [, , write] of WRITES) await write(dataSource);
    expect(await rowsIn(dataSource)).toBeGreaterThan(WRITES.length);

    const [[, column, write]] = WITHOUT_LISTENERS as [Write];
    await expect(write(dataSource)).rejects.toMatchObject({ column });
  });

  it.each(BEYOND_REACH)('fails with %s, whatever is attached', async (_, write) => {
    attachSnowflake(dataSource, new CountingSource(5000n));
    await dataSource.query(
      'CREATE TABLE IF NOT EXISTS keyed (id bigint NOT NULL PRIMARY KEY, name varchar(20))',
    );
    const before = await rowsIn(dataSource);

    await expect(write(dataSource)).rejects.toThrow();

    await expect(rowsIn(dataSource)).resolves.toBe(before);
    await expect(dataSource.query('SELECT * FROM keyed')).resolves.toEqual([]);
  });
});
