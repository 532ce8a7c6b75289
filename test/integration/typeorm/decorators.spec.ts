import libsql from 'libsql';
import { DataSource, Entity, EntitySchema, getMetadataArgsStorage, type DataSourceOptions } from 'typeorm';
import { InvalidOptionError } from '../../../libs/snowflake/src/core/errors/input-errors.js';
import { databaseOf } from '../../../libs/snowflake/src/kit/database-adapters.js';
import { SnowflakeColumn, SnowflakeId } from '../../../libs/snowflake/src/adapters/typeorm/decorators.js';
import {
  snowflakeColumn,
  snowflakeIdColumn,
  snowflakeSchema,
} from '../../../libs/snowflake/src/adapters/typeorm/entity-schema.js';
import { isUnwrapped } from '../../../libs/snowflake/src/adapters/typeorm/schema-marks.js';

function declaredColumn(target: object, property: string) {
  const column = getMetadataArgsStorage().columns.find(
    (args) => args.target === target && args.propertyName === property,
  );
  return column?.options;
}

describe('@SnowflakeId() [promise: exact-keys]', () => {
  class Order {
    @SnowflakeId() id!: string;

    @SnowflakeId({ primary: false, instance: 'audit', type: 'varchar', name: 'trace_id', comment: 'trace' })
    traceId!: string;

    @SnowflakeColumn() customerId!: string;

    @SnowflakeColumn({ nullable: true, type: 'varchar', unique: true }) couponId!: string | null;
  }

  it('declares a primary key of type bigint', () => {
    const options = declaredColumn(Order, 'id');

    expect(options).toMatchObject({ type: 'bigint', primary: true, update: false });
  });

  it('hands its options on', () => {
    expect(declaredColumn(Order, 'traceId')).toMatchObject({
      type: 'varchar',
      length: 20,
      primary: false,
      update: false,
      name: 'trace_id',
      comment: 'trace',
    });
  });

  it('carries no transformer, so that TypeORM searches by IN', () => {
    for (const property of ['id', 'traceId', 'customerId', 'couponId']) {
      expect(declaredColumn(Order, property)).not.toHaveProperty('transformer');
    }
  });

  it('defines a column that only holds an ID', () => {
    const reference = declaredColumn(Order, 'customerId');

    expect(reference).toMatchObject({ type: 'bigint' });
    expect(reference?.primary).toBeFalsy();
    expect(declaredColumn(Order, 'couponId')).toMatchObject({
      type: 'varchar',
      length: 20,
      nullable: true,
      unique: true,
    });
  });

  it('defines the column of an EntitySchema', () => {
    expect(snowflakeIdColumn({ instance: 'audit', name: 'trace_id' })).toMatchObject({
      type: 'bigint',
      primary: true,
      name: 'trace_id',
    });
    expect(snowflakeColumn({ nullable: true })).toMatchObject({ type: 'bigint', nullable: true });
  });

  it('detects an unwrapped schema, even with a copy of the options', () => {
    const options = (instance?: string) => ({ id: { ...snowflakeIdColumn({ instance }) } });
    const embedded = new EntitySchema({ name: 'Receipt', columns: options() });
    const schema = (name: string, columns = options()) =>
      new EntitySchema<{ id: string; receipt: object }>({
        name,
        columns,
        embeddeds: { receipt: { schema: embedded } },
      });
    const wrapped = schema('Wrapped');

    expect(isUnwrapped(schema('Plain'))).toBe(true);
    expect(snowflakeSchema(wrapped)).toBe(wrapped);
    expect(isUnwrapped(wrapped)).toBe(false);
    expect(isUnwrapped(new EntitySchema({ name: 'None', columns: { id: { type: 'int' } } }))).toBe(false);
    // The same again, as after a reload, and another one of the same name.
    expect(() => snowflakeSchema(schema('Wrapped'))).not.toThrow();
    expect(() => snowflakeSchema(schema('Wrapped', options('audit')))).toThrow(
      'belongs to two schemas whose columns take IDs from different instances',
    );
  });

  it('lets an UPDATE write a column that holds an ID, but no key', () => {
    expect(snowflakeColumn()).toMatchObject({ primary: false, update: true });
    expect(snowflakeColumn({ update: false })).toMatchObject({ update: false });
    expect(snowflakeColumn({ primary: true })).toMatchObject({ primary: true, update: false });
    expect(snowflakeColumn({ primary: true, update: true })).toMatchObject({ update: true });
  });

  it('refuses a property that rounds the ID', () => {
    expect(() => {
      @Entity()
      class Rounded {
        // @ts-expect-error The compiler refuses it first.
        @SnowflakeId() id!: number;
      }
      return Rounded;
    }).toThrow('Rounded.id must be a property of type string (given: "number"). Declare it as `id!: string`');
  });

  it('refuses a property that TypeORM cannot handle', () => {
    expect(() => {
      class Big {
        // @ts-expect-error The compiler refuses it first.
        @SnowflakeColumn({ nullable: true }) otherId!: bigint;
      }
      return Big;
    }).toThrow('Big.otherId must be a property of type string (given: "bigint")');
  });

  it('compiles on every property that can hold a string, and on no number', () => {
    class Base {
      @SnowflakeId() id!: string;
    }
    class Accepted<Brand extends string> extends Base {
      @SnowflakeId() declare id: string;
      @SnowflakeColumn() optional?: string;
      @SnowflakeColumn() nullable!: string | null;
      @SnowflakeColumn() readonly fixed!: string;
      @SnowflakeColumn() generic!: Brand;
      @SnowflakeColumn() either!: string | number;
      @SnowflakeColumn() anything!: ReturnType<typeof JSON.parse>;
      @SnowflakeColumn() unknown!: unknown;
      @SnowflakeColumn() private own!: string;
      @SnowflakeColumn() protected inherited!: string;
      read = (): string[] => [this.own, this.inherited];
    }
    const refused = () => {
      class Refused {
        // @ts-expect-error It cannot hold a string.
        @SnowflakeColumn() nullable!: number | null;
        // @ts-expect-error It cannot hold a string.
        @SnowflakeColumn() optional?: bigint;
      }
      return Refused;
    };
    const composed: PropertyDecorator = SnowflakeColumn();

    expect([declaredColumn(Accepted, 'own'), composed, refused].every(Boolean)).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ['instance', () => snowflakeIdColumn({ instance: '' })],
    ['instance', () => snowflakeIdColumn({ instance: 5 as unknown as string })],
    ['generator', () => snowflakeIdColumn({ generator: 'audit' } as object)],
    ['generated', () => snowflakeColumn({ generated: true } as object)],
    ['type', () => snowflakeIdColumn({ type: 'int' as 'bigint' })],
    ['type', () => snowflakeColumn({ type: 'uuid' as 'bigint' })],
    ['nullable', () => snowflakeColumn({ primary: true, nullable: true })],
  ])('refuses a wrong %s', (option, make) => {
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(expect.objectContaining({ option }));
  });
});

const ids = { canIssue: true, nextId: () => '1800000000000000001', ready: () => Promise.resolve() };

describe('the adapter of TypeORM', () => {
  @Entity()
  class Task {
    @SnowflakeId({ type: 'varchar' }) id!: string;
  }
  const dataSourceOf = (entities: DataSourceOptions['entities']): DataSource =>
    new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      entities,
      synchronize: true,
    });
  const name = { kind: 'maker', name: 'default' } as const;

  it('belongs to every DataSource that has a declared column', () => {
    expect(databaseOf({})).toBeUndefined();
    expect(databaseOf(dataSourceOf([Task]))).toBeDefined();
  });

  it('attaches a source once, and verifies an initialized DataSource', async () => {
    const dataSource = dataSourceOf([Task]);
    const database = databaseOf(dataSource);
    // The app may initialize it later.
    await expect(database?.verify()).resolves.toBeUndefined();
    await dataSource.initialize();
    await expect(database?.verify()).rejects.toThrow('Task.id');

    database?.attach(name, ids);
    database?.attach(name, ids);

    await expect(database?.verify()).resolves.toBeUndefined();
    await expect(dataSource.manager.save(Task, {})).resolves.toEqual({ id: ids.nextId() });
    expect(dataSource.subscribers).toHaveLength(1);
    await dataSource.destroy();
  });

  it('serves a DataSource that is initialized later', async () => {
    const dataSource = dataSourceOf([Task]);
    databaseOf(dataSource)?.attach(name, ids);
    await dataSource.initialize();
    await expect(dataSource.manager.save(Task, {})).resolves.toEqual({ id: ids.nextId() });
    await dataSource.destroy();
  });

  it('adds no subscriber to an initialized DataSource without a column of IDs', async () => {
    const dataSource = await dataSourceOf([]).initialize();
    databaseOf(dataSource)?.attach(name, ids);
    expect(dataSource.subscribers).toEqual([]);
    await dataSource.destroy();
  });
});
