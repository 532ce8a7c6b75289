import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  attachSnowflake,
  LossyDriverError,
  MissingSubscriberError,
  SnowflakeColumn,
  SnowflakeId,
  SnowflakeSubscriber,
  snowflakeSubscriber,
  UnknownInstanceError,
  verifySnowflakeDataSource,
} from 'nestjs-snowflake/typeorm';
import pg from 'pg';
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  PrimaryColumn,
} from 'typeorm';
import { type Kind, KINDS, optionsFor } from './support/databases.js';
import { QueryLog } from './support/query-log.js';
import { CountingSource, FIRST_ID } from './support/sources.js';

@Entity()
class Task {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 20, default: '' }) name!: string;
}

@Entity()
class AuditEntry {
  @SnowflakeId({ instance: 'audit' }) id!: string;
}

@EventSubscriber()
class AppSubscriber implements EntitySubscriberInterface {
  static idsSeen: unknown[] = [];

  beforeInsert({ entity }: InsertEvent<{ id: unknown }>): void {
    AppSubscriber.idsSeen.push(entity.id);
  }
}

const baseOptions = {
  ...(await optionsFor('sqlite', 'attaching')),
  entities: [Task, AuditEntry],
  synchronize: true,
};
const opened: DataSource[] = [];

type Subscriber = new () => EntitySubscriberInterface;

function newDataSource(subscribers: Subscriber[] = [AppSubscriber]): DataSource {
  const dataSource = new DataSource({ ...baseOptions, subscribers });
  opened.push(dataSource);
  return dataSource;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((dataSource) => dataSource.isInitialized && dataSource.destroy()));
});

const attachedTo = (subscribers: Subscriber[], when: 'before' | 'after') => async (ids: CountingSource) => {
  const dataSource = newDataSource(subscribers);
  if (when === 'after') await dataSource.initialize();
  attachSnowflake(dataSource, ids);
  return dataSource.isInitialized ? dataSource : dataSource.initialize();
};
const WAYS: [string, (ids: CountingSource) => Promise<DataSource>][] = [
  ['strict', (ids) => newDataSource([AppSubscriber, snowflakeSubscriber(ids)]).initialize()],
  ['with the subscriber in the options', attachedTo([AppSubscriber, SnowflakeSubscriber], 'before')],
  [
    'with the subscriber in the options, attached after initialize()',
    attachedTo([SnowflakeSubscriber, AppSubscriber], 'after'),
  ],
  ['attached before initialize()', attachedTo([AppSubscriber], 'before')],
  ['attached after initialize()', attachedTo([AppSubscriber], 'after')],
];

describe.each(WAYS)('a DataSource, %s [promise: exact-keys]', (way, open) => {
  // A strict subscriber is decorated when it is made, and TypeORM calls subscribers in that order.
  const isFirst = way !== 'strict';

  it('takes the IDs of a DataSource from the source, and goes on after destroy() and initialize()', async () => {
    const ids = new CountingSource();
    const dataSource = await open(ids);
    await expectServed(dataSource, ids, isFirst);

    await restart(dataSource);
    await expectServed(dataSource, ids, isFirst);
  });

  it('adds one subscriber however often a DataSource is attached', async () => {
    const dataSource = await open(new CountingSource());
    const auditIds = new CountingSource(70n);

    for (const audit of [new CountingSource(), auditIds]) attachSnowflake(dataSource, { audit });
    expect(snowflakeSubscribersOf(dataSource)).toHaveLength(1);
    await restart(dataSource);

    expect(snowflakeSubscribersOf(dataSource)).toHaveLength(1);
    await expect(dataSource.manager.save(AuditEntry, {})).resolves.toEqual({ id: '70' });
  });

  it('refuses a row whose instance nobody attached (control)', async () => {
    const dataSource = await open(new CountingSource());

    await expect(dataSource.manager.save(AuditEntry, {})).rejects.toThrow(UnknownInstanceError);
    await expect(dataSource.manager.insert(AuditEntry, {})).rejects.toThrow('AuditEntry.id');
    await expect(dataSource.manager.count(AuditEntry)).resolves.toBe(0);
  });
});

describe('attaching', () => {
  it('keeps the source of a strict subscriber', async () => {
    const [strict, attached] = [new CountingSource(100n), new CountingSource(200n)];
    const dataSource = await newDataSource([AppSubscriber, snowflakeSubscriber(strict)]).initialize();

    attachSnowflake(dataSource, attached);

    await expectServed(dataSource, strict, false);
    expect(attached.issued).toEqual([]);
  });

  it('replaces a source that was attached before, as an app does that starts again', async () => {
    const [old, renewed] = [new CountingSource(100n), new CountingSource(200n)];
    const dataSource = await newDataSource().initialize();

    attachSnowflake(dataSource, old);
    attachSnowflake(dataSource, renewed);

    await expectServed(dataSource, renewed);
    expect(old.issued).toEqual([]);
  });

  it('gives the source to one DataSource, not to all with the same options object', async () => {
    const options = { ...baseOptions, subscribers: [AppSubscriber] };
    const [first, second] = [new DataSource(options), new DataSource(options)];
    opened.push(first, second);
    const [firstIds, secondIds] = [new CountingSource(100n), new CountingSource(200n)];
    attachSnowflake(first, firstIds);
    await first.initialize();
    await second.initialize();

    await expect(second.manager.save(Task, {})).rejects.toThrow(MissingSubscriberError);
    await expect(verifySnowflakeDataSource(second)).rejects.toThrow(MissingSubscriberError);
    attachSnowflake(second, secondIds);

    await expectServed(second, secondIds);
    await expectServed(first, firstIds);
  });

  it('keeps subscribers that are listed by name', async () => {
    const dataSource = new DataSource({ ...baseOptions, subscribers: { AppSubscriber } });
    opened.push(dataSource);
    const ids = new CountingSource();

    attachSnowflake(dataSource, ids);
    await dataSource.initialize();

    await expectServed(dataSource, ids);
  });

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['an object without makers', { default: {} }],
    ['a maker that is missing', { default: undefined }],
    ['a class', CountingSource],
  ])('refuses %s instead of a maker', (_, ids) => {
    expect(() => snowflakeSubscriber(ids as never)).toThrow(InvalidOptionError);
    expect(() => attachSnowflake(newDataSource(), ids as never)).toThrow("can't generate IDs");
  });
});

/** Holds IDs, makes none. */
@Entity()
class Mention {
  @PrimaryColumn({ type: 'varchar', length: 20 }) text!: string;

  @SnowflakeColumn() taskId!: string;
}

@Entity()
class TextTask {
  @SnowflakeId({ type: 'varchar' }) id!: string;
}

@Entity()
class Plain {
  @PrimaryColumn({ type: 'int' }) id!: number;
}

/** What people write that makes the driver round, and what mends it. */
const LOSSY: Record<Kind, { options: object; driver: string; remedy: string }> = {
  sqlite: {
    options: { prepareDatabase: undefined },
    driver: 'better-sqlite3',
    remedy: 'Add prepareDatabase',
  },
  postgres: { options: { parseInt8: true }, driver: 'postgres', remedy: 'Remove parseInt8: true' },
  mariadb: { options: { supportBigNumbers: false }, driver: 'mariadb', remedy: 'Leave supportBigNumbers' },
};

/** Other than the default, and exact. */
const EXACT: Record<Kind, object> = {
  sqlite: {},
  postgres: { parseInt8: false },
  mariadb: { supportBigNumbers: true, bigNumberStrings: false },
};

/** What the database answers if nothing assigns an ID. docs/operations/problems.md lists these errors. */
const MISSING_ID: Record<Kind, object> = {
  sqlite: { message: expect.stringContaining('NOT NULL constraint failed: task.id') },
  postgres: { code: '23502', message: expect.stringContaining('null value in column "id"') },
  mariadb: { errno: 1364, message: expect.stringContaining("Field 'id' doesn't have a default value") },
};

describe.each(KINDS)('the start-up checks on %s [promise: exact-keys]', (kind) => {
  const log = new QueryLog();
  const sources: DataSource[] = [];
  let options: DataSourceOptions;

  beforeAll(async () => {
    options = await optionsFor(kind, 'start-up checks');
  });
  afterEach(async () => {
    await Promise.all(sources.splice(0).map((dataSource) => dataSource.destroy()));
    pg.defaults.parseInt8 = false; // TypeORM sets it for the whole process.
  });

  async function open(entities: DataSourceOptions['entities'], extra: object = {}): Promise<DataSource> {
    const base = { ...options, entities, synchronize: true, logger: log, logging: true } as DataSourceOptions;
    const dataSource = await new DataSource({ ...base, ...extra } as DataSourceOptions).initialize();
    sources.push(dataSource);
    log.take();
    return dataSource;
  }

  it('accepts a correct DataSource with one query (control)', async () => {
    const dataSource = await open([Task, AuditEntry, Mention, TextTask, Plain]);
    attachSnowflake(dataSource, { default: new CountingSource(), audit: new CountingSource() });

    await expect(verifySnowflakeDataSource(dataSource)).resolves.toBeUndefined();
    expect(log.take()).toEqual(['SELECT']);
  });

  it('runs no query on a DataSource without IDs', async () => {
    await verifySnowflakeDataSource(await open([Plain], LOSSY[kind].options));

    expect(log.take()).toEqual([]);
  });

  it('refuses a DataSource without a subscriber', async () => {
    const dataSource = await open([Task]);

    await expect(verifySnowflakeDataSource(dataSource)).rejects.toThrow(MissingSubscriberError);
    await expect(verifySnowflakeDataSource(dataSource)).rejects.toThrow('Task.id');
  });

  it('leaves rows to a database that refuses them, where a script lists and attaches nothing', async () => {
    const dataSource = await open([Task]);

    await expect(dataSource.manager.save(Task, {})).rejects.toMatchObject({
      driverError: expect.objectContaining(MISSING_ID[kind]),
    });
    await expect(dataSource.manager.count(Task)).resolves.toBe(0);
    attachSnowflake(dataSource, new CountingSource());
    await expect(dataSource.manager.save(Task, {})).resolves.toMatchObject({ id: String(FIRST_ID) });
    await dataSource.manager.clear(Task);
  });

  it('names the line to add for a script that lists the subscriber', async () => {
    const dataSource = await open([Task], { subscribers: [SnowflakeSubscriber] });

    await expect(dataSource.manager.save(Task, {})).rejects.toThrow('attachSnowflake(dataSource, ids)');
  });

  it('needs no subscriber where no ID is made', async () => {
    await expect(verifySnowflakeDataSource(await open([Mention]))).resolves.toBeUndefined();
  });

  it('refuses an instance that is missing, unless it is announced', async () => {
    const dataSource = await open([Task, AuditEntry]);
    attachSnowflake(dataSource, new CountingSource());

    await expect(verifySnowflakeDataSource(dataSource)).rejects.toMatchObject({
      code: 'SNOWFLAKE_UNKNOWN_INSTANCE',
      instanceName: 'audit',
      usedBy: 'AuditEntry.id',
    });
    await expect(verifySnowflakeDataSource(dataSource, new Set(['other']))).rejects.toThrow(
      UnknownInstanceError,
    );
    await expect(verifySnowflakeDataSource(dataSource, new Set(['audit']))).resolves.toBeUndefined();
  });

  it('refuses a driver that rounds', async () => {
    const { driver, remedy, options: lossy } = LOSSY[kind];
    const dataSource = await open([Task], lossy);
    attachSnowflake(dataSource, new CountingSource());

    await expect(verifySnowflakeDataSource(dataSource)).rejects.toMatchObject({
      code: 'SNOWFLAKE_LOSSY_DRIVER',
      driver,
      remedy: expect.stringContaining(remedy),
    });
    // And rightly so: rows become one another.
    await dataSource.manager.insert(Task, [{}, {}]);
    const read = await dataSource.manager.find(Task);
    expect(new Set(read.map(({ id }) => id)).size).toBe(1);
    expect(read[0]!.id).not.toBe(String(FIRST_ID));
  });

  it('refuses a driver that rounds columns that only hold IDs', async () => {
    const dataSource = await open([Mention], LOSSY[kind].options);

    await expect(verifySnowflakeDataSource(dataSource)).rejects.toThrow(LossyDriverError);
  });

  it('accepts a driver that rounds where IDs are text', async () => {
    const dataSource = await open([TextTask], LOSSY[kind].options);
    attachSnowflake(dataSource, new CountingSource());

    await expect(verifySnowflakeDataSource(dataSource)).resolves.toBeUndefined();
    await dataSource.manager.insert(TextTask, {});
    await expect(dataSource.manager.find(TextTask)).resolves.toEqual([{ id: String(FIRST_ID) }]);
  });

  it('accepts whatever else is exact', async () => {
    await expect(verifySnowflakeDataSource(await open([Mention], EXACT[kind]))).resolves.toBeUndefined();
  });

  it('refuses a DataSource that is not initialized', async () => {
    await expect(verifySnowflakeDataSource(new DataSource(options))).rejects.toThrow(InvalidOptionError);
  });
});

function snowflakeSubscribersOf({ subscribers }: DataSource): unknown[] {
  return subscribers.filter((subscriber) => subscriber instanceof SnowflakeSubscriber);
}

async function restart(dataSource: DataSource): Promise<void> {
  await dataSource.destroy();
  await dataSource.initialize();
}

async function expectServed(dataSource: DataSource, ids: CountingSource, isFirst = true): Promise<void> {
  const { id } = await dataSource.getRepository(Task).save({ name: 'x' });
  expect(id).toBe(ids.issued.at(-1));
  expect(AppSubscriber.idsSeen.at(-1)).toBe(isFirst ? id : undefined);
  expect(snowflakeSubscribersOf(dataSource)).toHaveLength(1);
}
