import { type DynamicModule, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import {
  MissingSubscriberError,
  prepareDatabase,
  SnowflakeId,
  snowflakeIdColumn,
  snowflakeSchema,
  SnowflakeSubscriber,
} from 'nestjs-snowflake/typeorm';
import { Column, DataSource, type DataSourceOptions, Entity, EntitySchema, PrimaryColumn } from 'typeorm';
import { CapturedLogs } from './support/captured-logs.js';

@Entity()
class Order {
  @SnowflakeId() id!: string;
}

abstract class Base {
  @SnowflakeId() id!: string;
}

@Entity()
class Child extends Base {}

class Receipt {
  @SnowflakeId({ primary: false }) number!: string;
}

/** Has no Snowflake ID, except in what is embedded in it. */
@Entity()
class Sale {
  @PrimaryColumn({ type: 'int' }) id!: number;

  @Column(() => Receipt) receipt!: Receipt;
}

const Note = snowflakeSchema(
  new EntitySchema<{ id: string }>({ name: 'Note', columns: { id: snowflakeIdColumn() } }),
);
/** As a schema from a glob is to Nest, which can't reach it. */
const Forgotten = new EntitySchema<{ id: string }>({
  name: 'Forgotten',
  columns: { id: snowflakeIdColumn() },
});

@Entity()
class Plain {
  @PrimaryColumn({ type: 'bigint' }) id!: string;
}

const options = { type: 'better-sqlite3', driver: libsql, database: ':memory:', prepareDatabase } as const;
const snowflake = (workerId = 1) => SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId }) });

function typeOrm(entities: DataSourceOptions['entities'], extra: object = {}): DynamicModule {
  return TypeOrmModule.forRoot({ ...options, entities, synchronize: true, ...extra });
}

describe('a Nest app with SnowflakeModule and TypeOrmModule [promise: exact-keys]', () => {
  const opened: TestingModule[] = [];
  async function bootApp(...imports: (DynamicModule | (new () => object))[]): Promise<TestingModule> {
    const app = await Test.createTestingModule({ imports }).setLogger(new CapturedLogs()).compile();
    opened.push(app);
    return app.init();
  }
  async function boot(...imports: (DynamicModule | (new () => object))[]): Promise<DataSource> {
    return (await bootApp(...imports)).get(DataSource);
  }
  afterEach(() => Promise.all(opened.splice(0).map((app) => app.close())));

  it.each<[string, NonNullable<DataSourceOptions['entities']>]>([
    ['a decorated entity', [Order]],
    ['an entity whose parent is decorated', [Child]],
    ['a schema without a class', [Note]],
    ['entities that are listed by name', { Order }],
  ])('generates the IDs of %s without further setup', async (_, entities) => {
    const dataSource = await boot(snowflake(), typeOrm(entities));
    const [entity] = Object.values(entities) as [typeof Order];

    await expect(dataSource.manager.save(entity, {})).resolves.toMatchObject({
      id: expect.stringMatching(/^\d+$/),
    });
  });

  it('generates the ID of an embedded column without further setup', async () => {
    const dataSource = await boot(typeOrm([Sale]), snowflake());

    await expect(dataSource.manager.save(Sale, { id: 1 })).resolves.toMatchObject({
      receipt: { number: expect.stringMatching(/^\d+$/) },
    });
  });

  it('generates the IDs of entities that other modules register', async () => {
    // Nest keeps what is registered for the default DataSource as long as the process lives, which has other specs, too.
    const name = 'loaded-by-itself';
    @Module({ imports: [TypeOrmModule.forFeature([Order], name)] })
    class Orders {}

    const app = await bootApp(snowflake(), typeOrm([], { autoLoadEntities: true, name }), Orders);

    const dataSource = app.get<DataSource>(getDataSourceToken(name));
    await expect(dataSource.manager.save(Order, {})).resolves.toHaveProperty('id');
  });

  it.each(['before', 'after'])(
    'generates the IDs of several DataSources, with TypeOrmModule %s it',
    async (order) => {
      const databases = ['orders', 'archive'].map((name) => typeOrm([Order], { name }));
      const imports = order === 'before' ? [...databases, snowflake()] : [snowflake(), ...databases];
      const app = await bootApp(...imports);

      for (const name of ['orders', 'archive']) {
        const dataSource = app.get<DataSource>(getDataSourceToken(name));
        await expect(dataSource.manager.save(Order, {})).resolves.toHaveProperty('id');
      }
    },
  );

  it('adds no subscriber to a DataSource without a Snowflake column', async () => {
    const dataSource = await boot(snowflake(), typeOrm([Plain]));

    expect(dataSource.subscribers).toEqual([]);
  });

  it('serves a DataSource that lists the subscriber, and refuses a schema that is not wrapped', async () => {
    const listed = { subscribers: [SnowflakeSubscriber] };

    const dataSource = await boot(snowflake(), typeOrm([Note, Plain], listed));
    await expect(dataSource.manager.save(Note, {})).resolves.toHaveProperty('id');

    await expect(boot(snowflake(2), typeOrm([Forgotten], listed))).rejects.toThrow('snowflakeSchema(');
  });

  it('refuses to boot with a column that is too narrow', async () => {
    const dataSource = await new DataSource({ ...options, entities: [Order] }).initialize();
    await dataSource.query('CREATE TABLE "order" (id integer PRIMARY KEY AUTOINCREMENT)');

    @Module({ providers: [{ provide: DataSource, useValue: dataSource }] })
    class Database {}
    await expect(boot(snowflake(), Database)).rejects.toMatchObject({
      code: 'SNOWFLAKE_COLUMN_TYPE',
      columns: [{ table: 'order', column: 'id', type: 'INTEGER' }],
    });
    await dataSource.destroy();
  });
});

@Entity('parcel')
class Parcel {
  @SnowflakeId()
  id!: string;
}

describe('a test of an app with entities', () => {
  let dataSource: DataSource;
  let app: TestingModule;

  beforeEach(async () => {
    dataSource = await new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      prepareDatabase,
      entities: [Parcel],
      synchronize: true,
    }).initialize();
    app = await Test.createTestingModule({
      imports: [SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) })],
      providers: [{ provide: DataSource, useValue: dataSource }],
    }).compile();
  });
  afterEach(async () => {
    await app.close();
    await dataSource.destroy();
  });

  const save = (): Promise<Parcel> => dataSource.getRepository(Parcel).save(new Parcel());

  it('generates no IDs for rows after compile() alone', async () => {
    await expect(save()).rejects.toThrow('NOT NULL constraint failed: parcel.id');
  });

  it('names init() after compile() alone, if the DataSource lists the subscriber', async () => {
    await dataSource.destroy();
    dataSource.setOptions({ subscribers: [SnowflakeSubscriber] });
    await dataSource.initialize();

    const refusal: unknown = await save().catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(MissingSubscriberError);
    expect(refusal).toHaveProperty('message', expect.stringContaining('await app.init()'));
    await app.init();
    expect(app.get(SnowflakeIdMaker).decode((await save()).id).workerId).toBe(7);
  });

  it('generates IDs for rows after init()', async () => {
    await app.init();
    expect(app.get(SnowflakeIdMaker).decode((await save()).id).workerId).toBe(7);
  });
});
