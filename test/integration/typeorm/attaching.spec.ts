import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  MissingSubscriberError,
  UnknownInstanceError,
  attachSnowflake,
  SnowflakeId,
  SnowflakeSubscriber,
  snowflakeSubscriber,
  verifySnowflakeDataSource,
} from 'nestjs-snowflake/typeorm';
import {
  Column,
  DataSource,
  Entity,
  EventSubscriber,
  type EntitySubscriberInterface,
  type InsertEvent,
} from 'typeorm';
import { optionsFor } from './support/databases.js';
import { CountingSource } from './support/sources.js';

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

function newDataSource(subscribers: (new () => EntitySubscriberInterface)[] = [AppSubscriber]): DataSource {
  const dataSource = new DataSource({ ...baseOptions, subscribers });
  opened.push(dataSource);
  return dataSource;
}

const snowflakeSubscribersOf = ({ subscribers }: DataSource): unknown[] =>
  subscribers.filter((subscriber) => subscriber instanceof SnowflakeSubscriber);

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

afterEach(async () => {
  await Promise.all(opened.splice(0).map((dataSource) => dataSource.isInitialized && dataSource.destroy()));
});

const WAYS: [string, (ids: CountingSource) => Promise<DataSource>][] = [
  ['strict', async (ids) => newDataSource([AppSubscriber, snowflakeSubscriber(ids)]).initialize()],
  [
    'with the subscriber in the options',
    async (ids) => {
      const dataSource = newDataSource([AppSubscriber, SnowflakeSubscriber]);
      attachSnowflake(dataSource, ids);
      return dataSource.initialize();
    },
  ],
  [
    'with the subscriber in the options, attached after initialize()',
    async (ids) => {
      const dataSource = await newDataSource([SnowflakeSubscriber, AppSubscriber]).initialize();
      attachSnowflake(dataSource, ids);
      return dataSource;
    },
  ],
  [
    'attached before initialize()',
    async (ids) => {
      const dataSource = newDataSource();
      attachSnowflake(dataSource, ids);
      return dataSource.initialize();
    },
  ],
  [
    'attached after initialize()',
    async (ids) => {
      const dataSource = await newDataSource().initialize();
      attachSnowflake(dataSource, ids);
      return dataSource;
    },
  ],
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
  it('leaves the source of a strict subscriber in place', async () => {
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
  ])('refuses %s in place of a maker', (_, ids) => {
    expect(() => snowflakeSubscriber(ids as never)).toThrow(InvalidOptionError);
    expect(() => attachSnowflake(newDataSource(), ids as never)).toThrow("can't make IDs");
  });
});
