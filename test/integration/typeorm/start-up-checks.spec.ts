import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  LossyDriverError,
  MissingSubscriberError,
  UnknownInstanceError,
  attachSnowflake,
  SnowflakeColumn,
  SnowflakeId,
  verifySnowflakeDataSource,
} from 'nestjs-snowflake/typeorm';
import pg from 'pg';
import { DataSource, Entity, PrimaryColumn, type DataSourceOptions } from 'typeorm';
import { KINDS, optionsFor, type Kind } from './support/databases.js';
import { QueryLog } from './support/query-log.js';
import { CountingSource, FIRST_ID } from './support/sources.js';

@Entity()
class Task {
  @SnowflakeId() id!: string;
}

@Entity()
class AuditEntry {
  @SnowflakeId({ instance: 'audit' }) id!: string;
}

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

describe.each(KINDS)('the start-up checks on %s [promise: exact-keys]', (kind) => {
  const log = new QueryLog();
  const opened: DataSource[] = [];
  let options: DataSourceOptions;

  beforeAll(async () => {
    options = await optionsFor(kind, 'start-up checks');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((dataSource) => dataSource.destroy()));
    pg.defaults.parseInt8 = false; // TypeORM sets it for the whole process.
  });

  async function open(entities: DataSourceOptions['entities'], extra: object = {}): Promise<DataSource> {
    const base = { ...options, entities, synchronize: true, logger: log, logging: true } as DataSourceOptions;
    const dataSource = await new DataSource({ ...base, ...extra } as DataSourceOptions).initialize();
    opened.push(dataSource);
    log.take();
    return dataSource;
  }

  it('passes a DataSource that is in order, with one query (control)', async () => {
    const dataSource = await open([Task, AuditEntry, Mention, TextTask, Plain]);
    attachSnowflake(dataSource, { default: new CountingSource(), audit: new CountingSource() });

    await expect(verifySnowflakeDataSource(dataSource)).resolves.toBeUndefined();
    expect(log.take()).toEqual(['SELECT']);
  });

  it('asks nothing of a DataSource without IDs', async () => {
    await verifySnowflakeDataSource(await open([Plain], LOSSY[kind].options));

    expect(log.take()).toEqual([]);
  });

  it('refuses a DataSource without a subscriber', async () => {
    const dataSource = await open([Task]);

    await expect(verifySnowflakeDataSource(dataSource)).rejects.toThrow(MissingSubscriberError);
    await expect(verifySnowflakeDataSource(dataSource)).rejects.toThrow('Task.id');
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
