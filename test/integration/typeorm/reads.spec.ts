import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import {
  And,
  Any,
  Between,
  Equal,
  In,
  IsNull,
  LessThan,
  Like,
  MoreThan,
  Not,
  Or,
  Raw,
  type DataSource,
  type FindOperator,
  type FindOptionsWhere,
} from 'typeorm';
import { dataSourceFor, KINDS, type Kind } from './support/databases.js';
import { Customer, Order, SHOP } from './support/shop.js';
import { CountingSource } from './support/sources.js';

describe.each(KINDS)('reads on %s', (kind) => {
  let dataSource: DataSource;
  let a: string, b: string, c: string;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'reads', { entities: SHOP });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
    const saved = await customers().save(['a', 'b', 'c'].map((email) => ({ email })));
    [a, b, c] = saved.map(({ id }) => id) as [string, string, string];
    await customers().update(b, { referredBy: a });
    await dataSource.getRepository(Order).insert({ customerId: c });
  });
  afterAll(() => dataSource.destroy());

  const customers = () => dataSource.getRepository(Customer);
  const emailsWhere = async (where: FindOptionsWhere<Customer>): Promise<string> => {
    const found = await customers().find({ where, order: { email: 'ASC' } });
    return found.map(({ email }) => email).join('');
  };

  const big = (id: string): string => BigInt(id) as unknown as string;

  it.each<[string, () => string | FindOperator<string>, string]>([
    ['a string', () => b, 'b'],
    ['a bigint', () => big(b), 'b'],
    ['Equal', () => Equal(b), 'b'],
    ['Equal of a bigint', () => Equal(big(b)), 'b'],
    ['In', () => In([a, c]), 'ac'],
    ['In of bigints', () => In([big(a), big(c)]), 'ac'],
    ['In with an undefined', () => In([a, undefined as unknown as string]), 'a'],
    ['Not', () => Not(b), 'ac'],
    ['Not In', () => Not(In([b, c])), 'a'],
    ['IsNull', () => IsNull(), ''],
    ['Not IsNull', () => Not(IsNull()), 'abc'],
    ['Between', () => Between(a, b), 'ab'],
    ['MoreThan', () => MoreThan(a), 'bc'],
    ['And', () => And(MoreThan(a), LessThan(c)), 'b'],
    ['Or', () => Or(Equal(a), Equal(c)), 'ac'],
    ['Raw text', () => Raw(`${b}`), 'b'],
    ['Raw with a parameter', () => Raw((alias) => `${alias} = :id`, { id: b }), 'b'],
    ['a small number', () => MoreThan(5 as unknown as string), 'abc'],
  ])('finds by %s', async (_, condition, found) => {
    await expect(emailsWhere({ id: condition() })).resolves.toBe(found);
  });

  const ownOperators: Record<Kind, [string, () => FindOperator<string>, string]> = {
    sqlite: ['Like', () => Like(`%${b.slice(-3)}`), 'b'],
    postgres: ['Any', () => Any([a, big(c)]), 'ac'],
    mariadb: ['Like', () => Like(`%${b.slice(-3)}`), 'b'],
  };
  it.each([ownOperators[kind]])('finds by %s, which not every database has', async (_, condition, found) => {
    await expect(emailsWhere({ id: condition() })).resolves.toBe(found);
  });

  it('uses an operator twice', async () => {
    const absent: FindOperator<string> = IsNull();

    await expect(emailsWhere({ id: absent })).resolves.toBe('');
    await expect(emailsWhere({ referredBy: absent })).resolves.toBe('ac');
    await expect(emailsWhere({ referredBy: absent })).resolves.toBe('ac');
  });

  it.each([
    ['a string', () => b],
    ['a bigint', () => BigInt(b)],
  ])('takes %s as a parameter of the query builder', async (_, id) => {
    const query = customers().createQueryBuilder('customer').where('customer.id = :id', { id: id() });

    await expect(query.getOne()).resolves.toEqual({ id: b, email: 'b', referredBy: a });
    await expect(query.getRawOne()).resolves.toMatchObject({ customer_id: b });
  });

  it('joins by the ID', async () => {
    const orders = dataSource
      .getRepository(Order)
      .createQueryBuilder('o')
      .leftJoinAndSelect('o.customer', 'c');

    await expect(orders.getMany()).resolves.toMatchObject([
      { customerId: c, customer: { id: c, email: 'c' } },
    ]);
  });

  it('leaves empty conditions to TypeORM', async () => {
    const nothing = undefined as unknown as string;
    const query = () => customers().createQueryBuilder('customer');

    await expect(emailsWhere({ id: nothing })).rejects.toThrow('Undefined value encountered');
    await expect(query().where({ id: undefined }).getMany()).resolves.toEqual([]);
    await expect(query().where({ id: IsNull() }).getMany()).resolves.toEqual([]);
    await expect(query().delete().where({ id: undefined }).execute()).resolves.toHaveProperty('affected', 0);
  });

  it('updates a part of a row by its ID', async () => {
    await customers().update({ id: a }, { id: undefined, referredBy: c });
    await customers().save({ id: a, email: 'a' });
    await expect(customers().findOneByOrFail({ id: a })).resolves.toHaveProperty('referredBy', c);

    await customers().save({ id: a, referredBy: null });
    await expect(customers().findOneByOrFail({ id: a })).resolves.toEqual({
      id: a,
      email: 'a',
      referredBy: null,
    });
  });
});
