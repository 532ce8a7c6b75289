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

describe.each(DRIVERS)('rows and their objects with %s', (driver) => {
  const canReturn = driver === 'postgres' || driver === 'mariadb';
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

  /** What each object says, and which row has that ID. */
  const expectNoForeignId = async (rows: readonly Partial<Account>[], ...isNew: string[]): Promise<void> => {
    const stored = new Map((await accounts().find()).map(({ id, name }) => [id, name]));
    const found = rows.map(({ id, name }) => [name, stored.get(id!)]);
    expect(found).toEqual(rows.map(({ name }) => [name, isNew.includes(name!) ? name : undefined]));
  };

  it('belong together when the IDs are not in order', async () => {
    const rows = [{ id: '900', name: 'x' }, { name: 'y' }, { id: '400', name: 'z' }];

    await accounts().insert(rows);

    await expectNoForeignId(rows, 'x', 'y', 'z');
  });

  it('belong together when other rows exist already', async () => {
    const ignored = rowsOf('a', 'b', 'c');
    await accounts().createQueryBuilder().insert().values(ignored).orIgnore().execute();
    await expectNoForeignId(ignored, 'a', 'c');

    const upserted = rowsOf('e', 'd', 'f');
    await accounts().upsert(upserted, ['name']);
    await expectNoForeignId(upserted, 'e', 'f');
  });

  it('belong together after a wait for the source', async () => {
    ids.canIssue = false;
    const rows = rowsOf('b', 'c');
    const inserting = accounts().createQueryBuilder().insert().values(rows).orIgnore().execute();
    ids.becomeReady();
    await inserting;

    await expectNoForeignId(rows, 'c');
  });

  it('keep the ID that a subscriber of the app has set', async () => {
    const rows = [{ name: 'renamed' }, { name: 'x' }] as Account[];
    await accounts().insert(rows);

    expect(rows[0]!.id).toBe('7');
    await expectNoForeignId(rows, 'renamed', 'x');
  });

  if (canReturn) {
    it('belong together when the INSERT returns fewer rows than there are objects', async () => {
      const ignored = rowsOf('a', 'b', 'c');
      const insert = accounts().createQueryBuilder().insert().values(ignored).orIgnore();
      const { raw } = await insert.returning(['id', 'name']).execute();
      expect(raw).toMatchObject([{ name: 'a' }, { name: 'c' }]);
      expect(ignored.map(({ id }) => id)).toEqual(ids.issued.slice(-3));
    });

    it('tell the ID of an existing row when there is one row', async () => {
      const { id } = await accounts().findOneByOrFail({ name: 'b' });
      const [row] = rowsOf('b');

      await accounts().upsert(row!, { conflictPaths: ['name'], returning: ['id'] });

      expect(row!.id).toBe(id);
    });
  }

  if (driver === 'postgres') {
    it('belong together when an upsert skips what is unchanged', async () => {
      const rows = rowsOf('e', 'd', 'f', 'b');

      await accounts().upsert(rows, {
        conflictPaths: ['name'],
        skipUpdateIfNoValuesChanged: true,
        returning: ['id'],
      });

      await expectNoForeignId(rows, 'e', 'f');
    });
  }

  it('are one each: an ID next to the key is never given to two rows', async () => {
    const ticket = {};
    const refused = { code: 'SNOWFLAKE_INVALID_OPTION', option: 'Ticket.id' };

    await expect(tickets().insert([ticket, ticket])).rejects.toMatchObject(refused);
    const entity = new Ticket();
    await expect(tickets().save([entity, new Ticket(), entity])).rejects.toMatchObject(refused);
    await expect(tickets().count()).resolves.toBe(0);

    await tickets().insert([{ ...ticket }, { ...ticket }]);
    await expect(tickets().count()).resolves.toBe(2);
  });

  it('stay together in a retry after a rollback', async () => {
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
