import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import { type DataSource, In } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { QueryLog } from './support/query-log.js';
import { Customer, SHOP } from './support/shop.js';
import { CountingSource } from './support/sources.js';

let emails = 0;
const email = (): string => `customer${++emails}@example.org`;

describe.each(KINDS)('writes on %s [promise: exact-keys]', (kind) => {
  const ids = new CountingSource();
  const log = new QueryLog();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'writes', { entities: SHOP, logger: log, logging: true });
    attachSnowflake(dataSource, ids);
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  const customers = () => dataSource.getRepository(Customer);
  const newCustomer = () => Object.assign(new Customer(), { email: email() });

  it('assigns an ID to a saved instance, and reads it back exactly', async () => {
    const saved = await customers().save(newCustomer());

    expect(saved.id).toBe(ids.issued.at(-1));
    expect(saved.id).toMatch(/^18000000000000000\d\d$/);
    await expect(customers().findOneByOrFail({ id: saved.id })).resolves.toEqual({
      ...saved,
      referredBy: null,
    });
  });

  it('assigns an ID to a saved plain object', async () => {
    const plain: Partial<Customer> = { email: email() };

    await customers().save(plain);

    expect(plain.id).toBe(ids.issued.at(-1));
    await expect(customers().findOneByOrFail({ email: plain.email })).resolves.toHaveProperty('id', plain.id);
  });

  it('keeps neighbors apart in a saved array', async () => {
    const saved = await customers().save([newCustomer(), newCustomer(), newCustomer()]);

    expect(saved.map(({ id }) => id)).toEqual(ids.issued.slice(-3));
    for (const { id, email: address } of saved) {
      await expect(customers().findOneByOrFail({ id })).resolves.toHaveProperty('email', address);
    }
  });

  it.each([
    ['an instance', () => newCustomer()],
    ['a plain object', () => ({ email: email() })],
  ])('assigns an ID when %s is inserted', async (_, make) => {
    const row: Partial<Customer> = make();

    const { identifiers } = await customers().insert(row);

    expect(identifiers).toEqual([{ id: ids.issued.at(-1) }]);
    expect(row.id).toBe(ids.issued.at(-1));
    await expect(customers().findOneByOrFail({ id: row.id })).resolves.toHaveProperty('email', row.email);
  });

  it('assigns IDs when an array is inserted', async () => {
    const { identifiers } = await customers().insert([{ email: email() }, { email: email() }]);

    expect(identifiers).toEqual(ids.issued.slice(-2).map((id) => ({ id })));
  });

  it('assigns IDs in the insert query builder', async () => {
    const rows = [{ email: email() }, { email: email() }];

    await dataSource.createQueryBuilder().insert().into(Customer).values(rows).execute();

    const stored = await customers().find({ where: rows, order: { id: 'ASC' } });
    expect(stored.map(({ id }) => id)).toEqual(ids.issued.slice(-2));
  });

  it('assigns an ID to a row that upsert inserts, and leaves that of an existing row alone', async () => {
    const address = email();

    await customers().upsert({ email: address }, ['email']);
    const first = await customers().findOneByOrFail({ email: address });
    await customers().upsert({ email: address, referredBy: '7' }, ['email']);

    expect(ids.issued).toContain(first.id);
    await expect(customers().findOneByOrFail({ email: address })).resolves.toEqual({
      ...first,
      referredBy: '7',
    });
  });

  it('leaves the IDs of existing rows alone where other rows of an upsert have one of their own', async () => {
    const [met, other] = await customers().save([newCustomer(), newCustomer()]);
    const explicit = { id: String(9n * 10n ** 17n + BigInt(++emails)), email: email() };

    await customers().upsert([explicit, { email: met!.email, referredBy: '7' }], ['email']);
    await customers().upsert({ id: null, email: other!.email, referredBy: '8' } as object, ['email']);

    const idOf = async ({ email: address }: { email: string }) =>
      (await customers().findOneByOrFail({ email: address })).id;
    await expect(Promise.all([explicit, met!, other!].map(idOf))).resolves.toEqual([
      explicit.id,
      met!.id,
      other!.id,
    ]);
    await expect(customers().countBy({ referredBy: In(['7', '8']) })).resolves.toBeGreaterThanOrEqual(2);
  });

  it('never changes a primary key by an update', async () => {
    const { id } = await customers().save(newCustomer());

    await customers().update({ id }, { id: '5', referredBy: '9' });

    await expect(customers().findOneByOrFail({ id })).resolves.toHaveProperty('referredBy', '9');
  });

  it('saves a new entity without looking for it first', async () => {
    log.take();

    await customers().save(newCustomer());

    const [begin, ...rest] = log.take();
    expect(['BEGIN', 'START']).toContain(begin);
    expect(rest).toEqual(['INSERT', 'COMMIT']);
  });

  it('updates a saved entity and does not insert it again', async () => {
    const saved = await customers().save(newCustomer());
    const found = await customers().findOneByOrFail({ id: saved.id });
    log.take();

    await customers().save(Object.assign(found, { email: email() }));
    await customers().save(Object.assign(saved, { referredBy: found.id }));

    expect(log.take()).not.toContain('INSERT');
    await expect(customers().findOneByOrFail({ id: saved.id })).resolves.toEqual({
      id: saved.id,
      email: saved.email,
      referredBy: saved.id,
    });
  });

  it('writes nothing when a saved entity is saved unchanged', async () => {
    const saved = await customers().save({ email: email(), referredBy: '1800000000000000077' });
    const found = await customers().findOneByOrFail({ id: saved.id });
    log.take();

    await customers().save(found);

    expect(log.take()).toEqual(['SELECT']);
  });

  it('keeps the ID over a rollback, so that a retry inserts the same one', async () => {
    const customer = newCustomer();
    await expect(
      dataSource.transaction(async (manager) => {
        await manager.save(customer);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    const { id } = customer;
    expect(id).toBe(ids.issued.at(-1));
    await expect(customers().countBy({ id })).resolves.toBe(0);

    await dataSource.transaction((manager) => manager.save(customer));

    expect(customer.id).toBe(id);
    await expect(customers().countBy({ id })).resolves.toBe(1);
  });

  it('makes a new ID when the retry starts from a new object (control)', async () => {
    const address = email();
    const attempt = () => dataSource.transaction((manager) => manager.save(Customer, { email: address }));
    const first = await attempt();
    await expect(attempt()).rejects.toThrow();
    await customers().delete(first.id);

    const second = await attempt();

    expect(second.id).not.toBe(first.id);
    expect(second.id).toBe(ids.issued.at(-1));
  });
});
