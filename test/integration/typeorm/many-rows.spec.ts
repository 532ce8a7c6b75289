import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import type { DataSource } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { QueryLog } from './support/query-log.js';
import { Customer, Order, OrderLine, Product, SHOP } from './support/shop.js';
import { CountingSource } from './support/sources.js';

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
