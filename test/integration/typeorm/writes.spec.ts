import {
  attachSnowflake,
  SnowflakeColumn,
  snowflakeColumn,
  SnowflakeId,
  snowflakeSchema,
} from 'nestjs-snowflake/typeorm';
import {
  Column,
  type DataSource,
  Entity,
  EntitySchema,
  type EntitySubscriberInterface,
  EventSubscriber,
  In,
  type InsertEvent,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { dataSourceFor, dataSourceOf, DRIVERS, KINDS } from './support/databases.js';
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

  it('assigns a new ID if the retry starts from a new object (control)', async () => {
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

@Entity()
class Account {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 20, unique: true }) name!: string;

  /** A default is what TypeORM reads a new row again for. */
  @Column({ type: 'int', default: 0 }) cents!: number;
}

@Entity()
class Ticket {
  @PrimaryGeneratedColumn() key!: number;

  @SnowflakeId({ primary: false }) id!: string;
}

/** An app's own, which comes after the library's. */
@EventSubscriber()
class Renamer implements EntitySubscriberInterface {
  beforeInsert({ entity }: InsertEvent<{ id: string; name?: string }>): void {
    if (entity.name === 'renamed') entity.id = '7';
  }
}

describe.each(DRIVERS)('rows and their objects with %s [promise: exact-keys]', (driver) => {
  const ids = new CountingSource();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceOf(driver, 'rows and objects', {
      entities: [Account, Ticket],
      subscribers: [Renamer],
    });
    attachSnowflake(dataSource, ids);
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());
  beforeEach(async () => {
    await accounts().clear();
    await tickets().clear();
    await accounts().insert([{ name: 'b' }, { name: 'd', cents: 5 }]);
  });

  const accounts = () => dataSource.getRepository(Account);
  const tickets = () => dataSource.getRepository(Ticket);
  const rowsOf = (...names: string[]): Partial<Account>[] => names.map((name) => ({ name, cents: 5 }));

  const expectOwnIds = async (rows: readonly Partial<Account>[]): Promise<void> => {
    for (const { id, name } of rows)
      await expect(accounts().findOneBy({ id: id! })).resolves.toMatchObject({ name });
  };

  it('gives each object the ID of its row', async () => {
    const rows = rowsOf('x', 'y', 'z');
    await accounts().insert(rows);
    await expectOwnIds(rows);
  });

  it('gives each object the ID of its row after a wait for the source', async () => {
    ids.canIssue = false;
    const rows = rowsOf('x', 'y');
    const inserting = accounts().insert(rows);
    ids.becomeReady();
    await inserting;

    await expectOwnIds(rows);
  });

  it('keeps the ID that a subscriber of the app has set', async () => {
    const rows = [{ name: 'renamed' }, { name: 'x' }] as Account[];
    for (const row of rows) await accounts().insert(row);

    expect(rows[0]!.id).toBe('7');
    await expectOwnIds(rows);
  });

  if (driver === 'postgres' || driver === 'mariadb') {
    it('gives an object the ID of an existing row when there is one row', async () => {
      const { id } = await accounts().findOneByOrFail({ name: 'b' });
      const [row] = rowsOf('b');

      await accounts().upsert(row!, { conflictPaths: ['name'], returning: ['id'] });

      expect(row!.id).toBe(id);
    });
  }

  it('gives an ID next to the key to one row only', async () => {
    const ticket = {};
    const refused = { code: 'SNOWFLAKE_INVALID_OPTION', option: 'Ticket.id' };

    await expect(tickets().insert([ticket, ticket])).rejects.toMatchObject(refused);
    const entity = new Ticket();
    await expect(tickets().save([entity, new Ticket(), entity])).rejects.toMatchObject(refused);
    await expect(tickets().count()).resolves.toBe(0);

    await tickets().insert([{ ...ticket }, { ...ticket }]);
    await expect(tickets().count()).resolves.toBe(2);
  });

  it('gives each object the ID of its row in a retry after a rollback', async () => {
    const ticket = new Ticket();
    const failure = new Error('rolled back');
    const attempt = dataSource.transaction(async (manager) => {
      await manager.save(ticket);
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    const { id } = ticket;

    await tickets().insert({ id });
    await expect(tickets().find()).resolves.toMatchObject([{ id }]);
  });
});

@Entity()
class Passport {
  @SnowflakeColumn({ primary: true }) ownerId!: string;

  @Column({ type: 'varchar', length: 20, unique: true }) number!: string;

  @Column({ type: 'int' }) pages!: number;
}

@Entity()
class Seat {
  @SnowflakeColumn({ primary: true, update: true }) ownerId!: string;

  @Column({ type: 'varchar', length: 20, unique: true }) number!: string;

  @SnowflakeColumn() guestId!: string;
}

const Badge = snowflakeSchema(
  new EntitySchema<{ ownerId: string; number: string; pages: number }>({
    name: 'Badge',
    columns: {
      ownerId: snowflakeColumn({ primary: true }),
      number: { type: 'varchar', length: 20, unique: true },
      pages: { type: 'int' },
    },
  }),
);

describe.each(DRIVERS)(
  'an upsert that meets a row whose key the application set, with %s [promise: exact-keys]',
  (driver) => {
    let dataSource: DataSource;

    beforeAll(async () => {
      dataSource = await dataSourceOf(driver, 'upserted keys', { entities: [Passport, Seat, Badge] });
      await dataSource.initialize();
    });
    afterAll(() => dataSource.destroy());

    it.each([
      ['class', Passport],
      ['schema', Badge],
    ])('leaves the key of a row that an upsert meets alone: %s', async (_, entity) => {
      const rows = dataSource.getRepository<Passport>(entity);
      await rows.insert({ ownerId: '5', number: 'a', pages: 1 });

      await rows.upsert({ ownerId: '6', number: 'a', pages: 2 }, ['number']);

      await expect(rows.find()).resolves.toEqual([{ ownerId: '5', number: 'a', pages: 2 }]);
    });

    it('changes the key in an upsert where the application asks for that, and any other ID (control)', async () => {
      const seats = dataSource.getRepository(Seat);
      await seats.insert({ ownerId: '5', number: 'a', guestId: '1' });

      await seats.upsert({ ownerId: '6', number: 'a', guestId: '2' }, ['number']);

      await expect(seats.find()).resolves.toEqual([{ ownerId: '6', number: 'a', guestId: '2' }]);
    });
  },
);
