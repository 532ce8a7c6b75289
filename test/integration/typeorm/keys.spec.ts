import { InvalidIdError } from 'nestjs-snowflake/core';
import { attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Column,
  type DataSource,
  Entity,
  In,
  ManyToOne,
  PrimaryColumn,
  QueryFailedError,
  type Relation,
} from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { QueryLog } from './support/query-log.js';
import { Customer, Order, OrderLine, Product, SHOP } from './support/shop.js';
import { CountingSource } from './support/sources.js';

describe.each(KINDS)('explicit IDs on %s [promise: exact-keys]', (kind) => {
  const ids = new CountingSource();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'explicit IDs', { entities: SHOP });
    attachSnowflake(dataSource, ids);
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  const customers = () => dataSource.getRepository(Customer);
  const products = () => dataSource.getRepository(Product);

  it.each(['1799999999999999999', '4711', '0'])('keeps the explicit key %s', async (id) => {
    const issued = ids.issued.length;
    const [saved, inserted] = [
      { id, name: 'saved' },
      { id: String(BigInt(id) + 10n), name: 'inserted' },
    ];

    await products().save(saved);
    await products().insert(inserted);

    expect(ids.issued).toHaveLength(issued);
    await expect(products().findOneByOrFail({ id })).resolves.toEqual({ id, name: 'saved' });
    await expect(products().findOneByOrFail({ id: inserted.id })).resolves.toEqual(inserted);
  });

  it.each([
    ['a bigint', 1_799_999_999_999_999_997n],
    ['an exact number', 4712],
    ['the number 0', 0],
  ])('keeps a reference that is %s as a string', async (name, referredBy) => {
    const row = { email: `${name}@example.com`, referredBy };

    await customers().save(row as object);

    expect(row.referredBy).toBe(String(referredBy));
    await expect(customers().findOneByOrFail({ email: row.email })).resolves.toHaveProperty(
      'referredBy',
      String(referredBy),
    );
  });

  // TypeORM would insert the row again, and changes nothing in softRemove() and recover().
  it.each([
    ['a bigint', BigInt],
    ['an exact number', Number],
  ])('refuses a key that is %s, whether the row exists or not', async (_, as) => {
    const stored = await products().save({ id: '4713', name: 'stored' });
    for (const id of [as(stored.id), as('4714')]) {
      const row = Object.assign(new Product(), { id, name: 'changed' });
      for (const write of [
        () => products().save(row),
        () => products().insert(row as object),
        () => products().upsert(row as object, ['id']),
        () => products().remove(row),
      ]) {
        const refusal: unknown = await write().catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(InvalidIdError);
        expect(refusal).toHaveProperty(
          'message',
          expect.stringMatching(/is of type \w+\. Set Product\.id to the decimal string/),
        );
      }
    }
    await expect(products().findBy({ id: In(['4713', '4714']) })).resolves.toEqual([stored]);
    await products().delete(stored.id);
  });

  it.each([
    ['', 'is empty'],
    ['12x', 'other than decimal digits'],
    ['0017', 'leading zero'],
    [-1n, 'is negative'],
    [2n ** 63n, 'exceeds 63 bits'],
    [2 ** 53, 'may have been rounded'],
    [1.5, 'may have been rounded'],
    [true, 'is of type boolean'],
  ])('refuses the explicit ID %o (control)', async (id, problem) => {
    const before = await products().count();

    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(InvalidIdError);
    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(problem);
    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(/Product\.id\b/);
    // TypeORM first looks whether the row exists, and the driver of SQLite can't be asked for this ID.
    const refusal = kind === 'sqlite' && id === 2n ** 63n ? Error : InvalidIdError;
    await expect(products().save({ id, name: 'x' } as object)).rejects.toThrow(refusal);

    await expect(products().count()).resolves.toBe(before);
  });

  it('refuses a rounded reference', async () => {
    const error: unknown = await customers()
      .save({ email: 'a@example.org', referredBy: 2 ** 60 } as object)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidIdError);
    expect(error).toHaveProperty('message', expect.stringMatching(/Customer\.referredBy\b/));
    // Clients get this part, which is about their value and not about the tables.
    expect(error).toHaveProperty('problem', 'is a number that may have been rounded');
    await expect(customers().update({ email: 'x' }, { referredBy: 2 ** 60 } as object)).rejects.toThrow(
      InvalidIdError,
    );
  });

  it.each(['9223372036854775808', 'abc', '', '0017', -1n, true])(
    'refuses the reference %o in an update',
    async (referredBy) => {
      const customer = await customers().save({
        email: `${String(referredBy)}@example.org`,
        referredBy: '7',
      });
      const { id } = customer;
      const wrong = { referredBy } as object;

      await expect(customers().update({ id }, wrong)).rejects.toThrow(InvalidIdError);
      const update = customers().createQueryBuilder().update().set(wrong).where({ id });
      await expect(update.execute()).rejects.toThrow(InvalidIdError);
      await expect(customers().save({ ...customer, ...wrong })).rejects.toThrow(InvalidIdError);

      await expect(customers().findOneByOrFail({ id })).resolves.toHaveProperty('referredBy', '7');
    },
  );

  it.each([
    ['null', null, null],
    ['a bigint', 8n, '8'],
    ['SQL', () => '4 + 5', '9'],
  ])('takes %s for a reference in an update', async (name, given, referredBy) => {
    const { id } = await customers().save({ email: `${name}@example.org`, referredBy: '7' });

    await customers().update({ id }, { referredBy: given } as object);

    await expect(customers().findOneByOrFail({ id })).resolves.toHaveProperty('referredBy', referredBy);
  });

  it('saves a row that holds something else already', async () => {
    const customer = await customers().save({ email: 'old@example.org' });
    await dataSource.query(`UPDATE customer SET ${kind === 'postgres' ? '"referredBy"' : 'referredBy'} = -1`);

    await customers().save({
      ...(await customers().findOneByOrFail({ id: customer.id })),
      email: 'new@example.org',
    });

    await expect(customers().findOneByOrFail({ id: customer.id })).resolves.toMatchObject({
      email: 'new@example.org',
      referredBy: '-1',
    });
  });

  it('refuses a rounded key in the save and the removal of a row that exists', async () => {
    const exact = 382_764_311_539_363_841n;
    const id = Number(exact) as unknown as string;
    const neighbor = { id: String(BigInt(Number(exact))), name: 'neighbor' };
    await products().insert(neighbor);

    await expect(products().save({ id, name: 'overwritten' })).rejects.toThrow(InvalidIdError);
    await expect(products().remove(Object.assign(new Product(), { id }))).rejects.toThrow(InvalidIdError);

    await expect(products().findOneBy({ id: neighbor.id })).resolves.toEqual(neighbor);
    await products().delete(neighbor.id);
  });

  it('takes null for a missing ID', async () => {
    const [saved, inserted] = [
      { id: null, name: 'saved' },
      { id: null, name: 'inserted' },
    ];

    await products().save(saved as object);
    await products().insert(inserted as object);

    expect([saved.id, inserted.id]).toEqual(ids.issued.slice(-2));
  });
});

@Entity()
class Shelf {
  @SnowflakeId() id!: string;

  @ManyToOne(() => Product) product!: Relation<Product> | null;

  @Column({ type: 'bigint', nullable: true }) level!: string | null;
}

/** It has a column of the same name, which is no ID. */
@Entity()
class Counter {
  @PrimaryColumn({ type: 'bigint' }) id!: string;
}

describe('what PostgreSQL refuses as an ID', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor('postgres', 'refused', { entities: [...SHOP, Shelf, Counter] });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  const shelves = () => dataSource.getRepository(Shelf);
  const query = () => shelves().createQueryBuilder('s').leftJoin('s.product', 'p');

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['save', (id) => shelves().save({ id })],
    ['find', (id) => shelves().findOneBy({ id })],
    ['find in a list', (id) => shelves().findBy({ id: In(['7', id]) })],
    ['find by a relation', (id) => shelves().findBy({ product: { id } })],
    ['update', (id) => shelves().update({ id }, { level: '1' })],
    ['delete', (id) => shelves().delete([id, '7'])],
    [
      'a query builder',
      (id) => query().where('s.level = :level AND p.id = :id', { level: '1', id }).getMany(),
    ],
    [
      'a list in a query builder',
      (id) =>
        query()
          .where('s.id IN (:...ids)', { ids: ['7', id] })
          .getMany(),
    ],
  ])('is an InvalidIdError in %s', async (_, use) => {
    for (const id of ['1e3', 'abc', '99999999999999999999', '-'])
      await expect(use(id)).rejects.toThrow(InvalidIdError);
  });

  it('is an InvalidIdError if it is an object', async () => {
    await expect(shelves().save({ id: {} as string })).rejects.toThrow(InvalidIdError);
  });

  it('stays an error of the database for what is no ID (control)', async () => {
    for (const use of [
      () => shelves().findBy({ level: 'abc' }),
      () => shelves().update({ id: '7' }, { level: 'abc' }),
      () => dataSource.getRepository(Counter).findOneBy({ id: 'abc' }),
      () => query().where('s.id = :id AND s.level = :level', { id: '7', level: 'abc' }).getMany(),
      () => dataSource.query('SELECT $1::bigint', ['abc']),
    ])
      await expect(use()).rejects.toThrow(QueryFailedError);
  });
});

/** More than the 1000 levels that SQLite takes in an expression, with one for each row. */
const ROWS = 1200;

describe.each(KINDS)('writes of many rows by their IDs on %s [promise: exact-keys]', (kind) => {
  const ids = new CountingSource();
  const log = new QueryLog();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'many rows', { entities: SHOP, logger: log, logging: true });
    attachSnowflake(dataSource, ids);
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());
  beforeEach(async () => {
    for (const entity of [Order, Product])
      await dataSource.createQueryBuilder().delete().from(entity).execute();
  });

  const linesOf = (order: Partial<Order>) => (order.lines ?? []).map(({ id }) => id);
  const orders = () => dataSource.getRepository(Order);
  const products = () => dataSource.getRepository(Product);
  const insertMany = async (): Promise<Product[]> => {
    const rows = Array.from({ length: ROWS }, () => products().create({ name: 'new' }));
    await products().insert(rows);
    return rows;
  };
  const expectIn = (word: 'DELETE' | 'SELECT' | 'UPDATE'): void => {
    const { sql } = log.last(word);
    expect(sql).toMatch(/\bIN \(/);
    expect(sql).not.toMatch(/\bOR\b/);
  };

  it('deletes and updates many rows by their IDs', async () => {
    const rows = (await insertMany()).map(({ id }) => id);
    const [kept, ...others] = rows;

    await products().update(others, { name: 'seen' });
    expectIn('UPDATE');
    await expect(products().countBy({ name: 'seen' })).resolves.toBe(ROWS - 1);

    await products().delete(others);
    expectIn('DELETE');
    await expect(products().find({ select: { id: true, name: true } })).resolves.toEqual([
      { id: kept, name: 'new' },
    ]);
  });

  it('finds many existing rows in a save, and in a removal', async () => {
    const rows = await insertMany();
    const issued = ids.issued.length;

    for (const row of rows.slice(0, 9)) row.name = 'seen';
    await products().save(rows);
    expectIn('SELECT');
    expect(ids.issued).toHaveLength(issued);
    await expect(products().countBy({ name: 'seen' })).resolves.toBe(9);

    await products().remove(rows.slice(0, 500));
    expectIn('SELECT');
    await expect(products().count()).resolves.toBe(ROWS - 500);
  });

  it('takes IDs of every form', async () => {
    await orders().insert(['5', '6', '7', '8'].map((id) => ({ id })));

    await orders().delete([5, '6'] as unknown as string[]);
    await orders()
      .createQueryBuilder()
      .delete()
      .whereInIds([7n, { id: '99' }])
      .execute();

    await expect(orders().find({ select: { id: true } })).resolves.toEqual([{ id: '8' }]);
  });

  it('leaves relations of many rows as they are', async () => {
    const [first, second] = await orders().save([
      { lines: [{ sku: 'a' }] },
      { lines: [{ sku: 'b' }, { sku: 'c' }], customer: { email: 'many@example.org' } },
    ]);

    const found = await orders()
      .createQueryBuilder('order')
      .leftJoinAndSelect('order.lines', 'line')
      .whereInIds([first!.id, second!.id])
      .orderBy('line.sku')
      .getMany();
    expect(found.map(({ id, lines }) => [id, lines?.map(({ sku }) => sku)])).toEqual([
      [first!.id, ['a']],
      [second!.id, ['b', 'c']],
    ]);
    await expect(orders().find({ where: { id: second!.id }, loadRelationIds: true })).resolves.toMatchObject([
      { lines: linesOf(second!), customer: second!.customer!.id },
    ]);

    await orders().save([
      { ...first!, lines: [] },
      { ...second!, note: 'moved' },
    ]);
    await expect(dataSource.manager.count(OrderLine)).resolves.toBe(2);
    await expect(dataSource.manager.count(Customer)).resolves.toBe(1);
    await dataSource.manager.delete(OrderLine, linesOf(second!));
  });
});

@Entity('parcel', { withoutRowid: true })
class Parcel {
  @SnowflakeId() id!: string;

  @Column({ type: 'int' }) grams!: number;
}

describe('a table of SQLite without a rowid [promise: exact-keys]', () => {
  const ids = new CountingSource();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor('sqlite', 'without-rowid', { entities: [Parcel] });
    attachSnowflake(dataSource, ids);
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  it('holds exact IDs in one tree of a table without a rowid', async () => {
    const { id } = await dataSource.getRepository(Parcel).save({ grams: 20 });

    await expect(dataSource.getRepository(Parcel).findOneBy({ id })).resolves.toEqual({ id, grams: 20 });
    const trees: unknown[] = await dataSource.query("SELECT name FROM dbstat WHERE name LIKE '%parcel%'");
    expect(trees).toEqual([{ name: 'parcel' }]);
  });

  it('generates no IDs of its own, as a key of type integer would (control)', async () => {
    const before = await dataSource.getRepository(Parcel).count();

    await expect(dataSource.query('INSERT INTO parcel (grams) VALUES (1)')).rejects.toThrow(/NOT NULL/);
    await expect(dataSource.getRepository(Parcel).count()).resolves.toBe(before);
  });
});
