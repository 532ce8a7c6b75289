import { InvalidIdError } from 'nestjs-snowflake/core';
import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import type { DataSource } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { Customer, Product, SHOP } from './support/shop.js';
import { CountingSource } from './support/sources.js';

describe.each(KINDS)('explicit IDs on %s', (kind) => {
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
    ['12x', 'no decimal digit'],
    ['0017', 'leading zero'],
    [-1n, 'is negative'],
    [2n ** 63n, 'beyond 63 bits'],
    [2 ** 53, 'cannot be told from its neighbours'],
    [1.5, 'cannot be told from its neighbours'],
    [true, 'is of type boolean'],
  ])('refuses the explicit ID %p', async (id, problem) => {
    const before = await products().count();

    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(InvalidIdError);
    await expect(products().insert({ id, name: 'x' } as object)).rejects.toThrow(problem);
    // Here the database may refuse it first: TypeORM looks whether the row exists.
    await expect(products().save({ id, name: 'x' } as object)).rejects.toThrow();

    await expect(products().count()).resolves.toBe(before);
  });

  it('refuses a rounded reference', async () => {
    await expect(customers().save({ email: 'a@example.org', referredBy: 2 ** 60 } as object)).rejects.toThrow(
      InvalidIdError,
    );
    await expect(customers().update({ email: 'x' }, { referredBy: 2 ** 60 } as object)).rejects.toThrow(
      InvalidIdError,
    );
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
