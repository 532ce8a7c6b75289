import { attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Column,
  type DataSource,
  Entity,
  EventSubscriber,
  type EntitySubscriberInterface,
  type InsertEvent,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { dataSourceOf, DRIVERS } from './support/databases.js';
import { CountingSource } from './support/sources.js';

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
