import { setImmediate } from 'node:timers/promises';
import { UnknownInstanceError, attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Column,
  Entity,
  EventSubscriber,
  type DataSource,
  type EntitySubscriberInterface,
  type InsertEvent,
} from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { CountingSource } from './support/sources.js';

@Entity()
class Task {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 20 }) name!: string;
}

@Entity()
class AuditEntry {
  @SnowflakeId({ instance: 'audit' }) id!: string;

  @Column({ type: 'varchar', length: 20 }) name!: string;
}

/** Has a generator that is attached and one that is not. */
@Entity()
class Stray {
  @SnowflakeId() id!: string;

  @SnowflakeId({ primary: false, instance: 'nobody' }) tag!: string;

  @Column({ type: 'varchar', length: 20 }) name!: string;
}

/** An app's own subscriber, with a say in what happens. */
@EventSubscriber()
class AppSubscriber implements EntitySubscriberInterface {
  static idsSeen: unknown[] = [];
  static beforeInsertOf: Record<string, () => Promise<void> | void> = {};

  beforeInsert({ entity }: InsertEvent<{ id: unknown; name: string }>): Promise<void> | void {
    AppSubscriber.idsSeen.push(entity.id);
    return AppSubscriber.beforeInsertOf[entity.name]?.();
  }
}

describe.each(KINDS)('a subscriber on %s', (kind) => {
  let ids: CountingSource, auditIds: CountingSource;
  let dataSource: DataSource;
  const unhandled: unknown[] = [];
  const noteUnhandled = (reason: unknown): void => void unhandled.push(reason);

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'waiting', {
      entities: [Task, AuditEntry, Stray],
      subscribers: [AppSubscriber],
    });
    await dataSource.initialize();
    process.on('unhandledRejection', noteUnhandled);
  });

  beforeEach(async () => {
    await Promise.all([Task, AuditEntry].map((entity) => dataSource.manager.clear(entity)));
    [ids, auditIds] = [new CountingSource(), new CountingSource(70n)];
    attachSnowflake(dataSource, { default: ids, audit: auditIds });
    AppSubscriber.idsSeen = [];
    AppSubscriber.beforeInsertOf = {};
    unhandled.length = 0;
  });

  afterAll(async () => {
    process.off('unhandledRejection', noteUnhandled);
    await dataSource.destroy();
  });

  const tasks = () => dataSource.getRepository(Task);

  it("assigns IDs before the app's own subscribers look", async () => {
    const saved = await tasks().save([{ name: 'a' }, { name: 'b' }]);
    await tasks().insert({ name: 'c' });

    expect(AppSubscriber.idsSeen).toEqual(ids.issued);
    expect(saved.map(({ id }) => id)).toEqual(ids.issued.slice(0, 2));
  });

  it.each([
    ['save', (rows: object[]) => tasks().save(rows)],
    ['insert', (rows: object[]) => tasks().insert(rows)],
  ])('waits in %s until IDs can be issued, and keeps their order', async (_, write) => {
    ids.canIssue = false;
    const rows: Partial<Task>[] = ['a', 'b', 'c'].map((name) => ({ name }));

    const writing = write(rows);
    await ids.awaited;
    expect(ids.issued).toEqual([]);
    ids.becomeReady();
    await writing;

    expect(rows.map(({ id }) => id)).toEqual(ids.issued);
    const stored = await tasks().find({ order: { id: 'ASC' } });
    expect(stored.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('waits for the one generator that is not ready', async () => {
    auditIds.canIssue = false;

    const writing = dataSource.manager.save([
      Object.assign(new Task(), { name: 'now' }),
      Object.assign(new AuditEntry(), { name: 'later' }),
    ]);
    await auditIds.awaited;
    auditIds.becomeReady();
    const [task, entry] = await writing;

    expect(task).toHaveProperty('id', ids.issued[0]);
    expect(entry).toHaveProperty('id', auditIds.issued[0]);
  });

  it.each([
    ['save', () => tasks().save([{ name: 'a' }, { name: 'b' }])],
    ['insert', () => tasks().insert([{ name: 'a' }, { name: 'b' }])],
    ['the query builder', () => tasks().createQueryBuilder().insert().values({ name: 'a' }).execute()],
    ['a transaction', () => dataSource.transaction((manager) => manager.save(Task, { name: 'a' }))],
  ])('throws the error of a source that fails to start, in %s', async (_, write) => {
    const reason = new Error('no lease');
    ids.canIssue = false;

    const writing = expect(write()).rejects.toBe(reason);
    await ids.awaited;
    ids.giveUp(reason);
    await writing;

    // The one connection of the pool is free again, with no transaction left open.
    attachSnowflake(dataSource, new CountingSource());
    await expect(tasks().count()).resolves.toBe(0);
    await tasks().save({ name: 'next' });
    await expect(tasks().count()).resolves.toBe(1);
  });

  it('takes the ID from the source that it waited for', async () => {
    const waitedFor = ids;
    waitedFor.canIssue = false;
    const row: Partial<Task> = { name: 'a' };

    const writing = tasks().insert(row);
    await waitedFor.awaited;
    const later = new CountingSource();
    later.canIssue = false;
    attachSnowflake(dataSource, later);
    waitedFor.becomeReady();
    await writing;

    expect([row.id]).toEqual(waitedFor.issued);
  });

  it('keeps an ID that the row got while it waited', async () => {
    ids.canIssue = false;
    const row: Partial<Task> = { name: 'a' };

    const writing = tasks().insert(row);
    await ids.awaited;
    row.id = '5';
    ids.becomeReady();
    await writing;

    expect(row.id).toBe('5');
    await expect(tasks().countBy({ id: '5' })).resolves.toBe(1);
  });

  it('waits for no source if one of the generators is unknown', async () => {
    ids.canIssue = false;
    ids.ready = () => setImmediate().then(() => Promise.reject(new Error('no lease')));

    await expect(dataSource.manager.insert(Stray, { name: 'a' })).rejects.toThrow(UnknownInstanceError);
    await setImmediate();
    await setImmediate();

    expect(unhandled).toEqual([]);
  });

  it('throws what nextId() throws', async () => {
    const reason = new Error('lease exhausted');
    ids.nextId = () => {
      throw reason;
    };

    await expect(tasks().save({ name: 'a' })).rejects.toBe(reason);
    await expect(tasks().insert({ name: 'a' })).rejects.toBe(reason);
    await expect(tasks().count()).resolves.toBe(0);
  });

  it('leaves no rejection unhandled when an app subscriber throws in the same batch', async () => {
    const reason = new Error('from the app');
    ids.canIssue = false;
    AppSubscriber.beforeInsertOf.b = () => {
      throw reason;
    };

    await expect(tasks().save([{ name: 'a' }, { name: 'b' }])).rejects.toBe(reason);
    ids.giveUp(new Error('no lease'));
    await setImmediate();
    await setImmediate();

    expect(unhandled).toEqual([]);
  });

  it('leaves no rejection of an app subscriber unhandled when it refuses a row itself', async () => {
    const reason = new Error('from the app');
    AppSubscriber.beforeInsertOf.a = () => Promise.reject(reason);

    await expect(tasks().save([{ name: 'a' }, { name: 'b', id: 'none' }])).rejects.toThrow();
    await setImmediate();
    await setImmediate();

    expect(unhandled).toEqual([]);
  });
});
