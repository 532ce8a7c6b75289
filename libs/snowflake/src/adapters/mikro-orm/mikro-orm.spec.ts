import { InvalidIdError, InvalidOptionError } from '../../core/errors/input-errors.js';
import { LossyDriverError } from '../../core/errors/setup-errors.js';
import { fakeIdMaker } from '../testing/fake-id-maker.js';
import { snowflakeProperties } from './snowflake-properties.js';
import type { OrmSchemaGenerator } from './kept-tables.js';
import { verifySnowflakeOrm, type OrmProperty, type SnowflakeOrm } from './verify.js';

/** The part of MikroORM's type that is extended. */
class BigIntType {
  constructor(readonly mode: 'string') {}

  convertToDatabaseValue(value: unknown): unknown {
    return value;
  }

  convertToJSValue(value: unknown): unknown {
    return value;
  }
}

const coreOf = (version: string) => ({
  BigIntType,
  Utils: Object.assign(() => undefined, { getORMVersion: () => version }),
});
const ids = fakeIdMaker({ start: 1001 });
const { snowflakeKey, snowflakeReference } = snowflakeProperties(coreOf('7.2.1'), ids);

/** A MikroORM with one entity, whose driver reads every integer as `read`, and whose database has these tables. */
const ormOf = (
  property: Partial<OrmProperty>,
  read: unknown = 9007199254740993n,
  { tables = [] as string[], isSqlite = false, schemaGenerator = {} as OrmSchemaGenerator } = {},
) => ({
  config: {
    get: ((option: string) =>
      option === 'dbName' ? 'shop' : schemaGenerator) as SnowflakeOrm['config']['get'],
  },
  em: {
    getConnection: () => ({
      execute: (sql: string): Promise<object[]> => {
        if (sql.includes('probe')) return Promise.resolve([{ probe: read }]);
        if (isSqlite !== sql.includes('sqlite_master')) return Promise.reject(new Error('no such table'));
        return Promise.resolve(tables.map((name) => ({ name })));
      },
    }),
  },
  getMetadata: () => [
    {
      className: 'Order',
      props: [{ name: 'note' }, { name: 'id', customType: snowflakeKey().type, ...property }],
    },
  ],
});

describe('the properties of MikroORM that hold IDs', () => {
  it('assign an ID when an entity is made, and have no sequence', () => {
    const { onCreate, ...options } = snowflakeKey();
    expect(options).toMatchObject({ primary: true, autoincrement: false });
    expect(onCreate()).toBe('1001');
  });

  it('keep all digits in both directions, and refuse a rounded number', () => {
    const { type } = snowflakeReference();
    expect(type.convertToDatabaseValue('382475217496248323')).toBe('382475217496248323');
    expect(type.convertToJSValue(382475217496248323n)).toBe('382475217496248323');
    expect(() => type.convertToDatabaseValue(382475217496248320 as never)).toThrow(InvalidIdError);
    expect(() => type.convertToJSValue(382475217496248320 as never)).toThrow(InvalidIdError);
  });

  it('leave null and conditions to MikroORM', () => {
    const { type } = snowflakeReference();
    const condition = { $in: ['1'] } as never;
    expect(type.convertToDatabaseValue(null)).toBeNull();
    expect(type.convertToJSValue(null)).toBeNull();
    expect(type.convertToDatabaseValue(condition)).toBe(condition);
  });

  it('have a type of their own each', () => {
    expect(snowflakeKey().type).not.toBe(snowflakeKey().type);
  });

  it.each(['6.6.15', '6.5.99', '5.9.8', '7.0.0', '7.1.10', '7.1.12'])('refuse MikroORM %s', (version) => {
    expect(() => snowflakeProperties(coreOf(version), ids)).toThrow(InvalidOptionError);
  });

  it.each(['6.6.16', '6.7.0', '7.1.13', '7.2.0-dev.1', '8.0.0', 'N/A'])('accept MikroORM %s', (version) => {
    expect(() => snowflakeProperties(coreOf(version), ids)).not.toThrow();
  });
});

describe('the check of a MikroORM', () => {
  const key = { primary: true, autoincrement: false };

  it('accepts a key without a sequence, and a driver that reads all digits', async () => {
    await expect(verifySnowflakeOrm(ormOf(key))).resolves.toBeUndefined();
    await expect(verifySnowflakeOrm(ormOf(key, '9007199254740993'))).resolves.toBeUndefined();
  });

  it('refuses a key with a sequence, and names its property', async () => {
    await expect(verifySnowflakeOrm(ormOf({ ...key, autoincrement: true }))).rejects.toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'Order.id.autoincrement' }),
    );
  });

  it('accepts sequences of keys that hold no IDs', async () => {
    await expect(
      verifySnowflakeOrm(ormOf({ primary: true, autoincrement: true, customType: {} })),
    ).resolves.toBeUndefined();
    await expect(
      verifySnowflakeOrm(ormOf({ primary: true, autoincrement: true, customType: undefined })),
    ).resolves.toBeUndefined();
  });

  it('refuses a driver that rounds', async () => {
    await expect(verifySnowflakeOrm(ormOf(key, 9007199254740992))).rejects.toThrow(LossyDriverError);
  });

  const tables = ['snowflake_lease', 'snowflake_series_document'];

  it.each([false, true])(
    'refuses a schema generator that drops tables of the library (SQLite: %o)',
    async (isSqlite) => {
      for (const schemaGenerator of [{}, { skipTables: ['snowflake_lease'] }, { takeTables: [/^snow/] }])
        await expect(
          verifySnowflakeOrm(ormOf(key, undefined, { tables, isSqlite, schemaGenerator })),
        ).rejects.toMatchObject({
          option: 'schemaGenerator.skipTables',
          message: expect.stringContaining('series'),
        });
      for (const schemaGenerator of [
        { skipTables: [/^snowflake_/] },
        { skipTables: tables },
        { takeTables: ['orders'] },
      ])
        await expect(
          verifySnowflakeOrm(ormOf(key, undefined, { tables, isSqlite, schemaGenerator })),
        ).resolves.toBeUndefined();
    },
  );

  it('leaves tables of the app alone that only begin like those of the library', async () => {
    const orm = ormOf(key, undefined, { tables: ['snowflake_leases', 'snowflakes', 'snowflake_photo'] });
    await expect(verifySnowflakeOrm(orm)).resolves.toBeUndefined();
  });
});
