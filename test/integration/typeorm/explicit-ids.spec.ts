import { InvalidIdError } from 'nestjs-snowflake/core';
import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import type { DataSource } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { Customer, Product, SHOP } from './support/shop.js';
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

  it.each([
    ['a string', '1799999999999999999'],
    ['a bigint', 1_799_999_999_999_999_998n],
    ['an exact number', 4711],
    ['the number 0', 0],
  ])('keeps an explicit ID that is %s', async (_, id) => {
    const issued = ids.issued.length;
    const [saved, inserted] = [
      { id, name: 'saved' },
      { id: BigInt(id) + 10n, name: 'inserted' },
    ];

    await products().save(saved as object);
    await products().insert(inserted as object);

    expect(ids.issued).toHaveLength(issued);
    expect([saved.id, inserted.id]).toEqual([String(id), String(BigInt(id) + 10n)]);
    await expect(products().findOneByOrFail({ id: String(id) })).resolves.toEqual(saved);
    await expect(products().findOneByOrFail({ id: String(inserted.id) })).resolves.toEqual(inserted);
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
  ])('refuses the explicit ID %p (control)', async (id, problem) => {
    const before = await products().count();

    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(InvalidIdError);
    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(problem);
    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(/Product\.id\b/);
    // Here the database may refuse it first: TypeORM looks whether the row exists.
    await expect(products().save({ id, name: 'x' } as object)).rejects.toThrow();

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
    'refuses the reference %p in an update',
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
