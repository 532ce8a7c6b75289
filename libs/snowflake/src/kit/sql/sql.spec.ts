import libsql from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import { driverPackage } from './clients/driver-package.js';
import { SqliteClient } from './clients/sqlite-client.js';
import type { DatabaseOptions } from './database/database-options.js';
import type { SqlDialect } from './dialects/dialect.js';
import { mysql } from './dialects/mysql.js';
import { postgres } from './dialects/postgres.js';
import { isConflict, means } from './errors.js';
import { lossySettingsOf } from './history/lossy-settings.js';
import type { SqlRow } from './statements.js';
import { defineTables } from './tables/tables.js';

const TABLES = defineTables({
  use: { holds: 'orders', otherwise: 'a file' },
  defaultName: 'shop',
  tables: {
    heads: { suffix: '_head', columns: 'id integer NOT NULL PRIMARY KEY', history: {} },
    rows: {
      suffix: '',
      columns: ({ hasOnUpdate }) =>
        `id integer, at timestamp${hasOnUpdate ? ' ON UPDATE CURRENT_TIMESTAMP' : ''}`,
      index: { suffix: '_by_at', columns: '(at, id)', isUnique: true },
    },
  },
  remedies: { missingTables: 'Create them.', missingRights: 'Grant them.' },
});

const on = (type: string, more: Partial<DatabaseOptions> = {}) => TABLES.in({ type, ...more });

describe('the declaration of tables', () => {
  it('creates a table and then its index on PostgreSQL and SQLite, in the order of the declaration', () => {
    for (const type of ['postgres', 'better-sqlite3']) {
      expect(on(type).tables.create).toEqual([
        'CREATE TABLE IF NOT EXISTS "shop_head" (id integer NOT NULL PRIMARY KEY)',
        'CREATE TABLE IF NOT EXISTS "shop" (id integer, at timestamp)',
        'CREATE UNIQUE INDEX IF NOT EXISTS "shop_by_at" ON "shop" (at, id)',
      ]);
    }
  });

  it('creates the index within its table on MySQL and MariaDB, which compare texts byte by byte', () => {
    for (const type of ['mysql', 'mariadb']) {
      const [, rows = '', ...rest] = on(type).tables.create;
      expect(rows).toContain('at timestamp ON UPDATE CURRENT_TIMESTAMP, UNIQUE KEY `shop_by_at` (at, id))');
      expect(rows).toMatch(/ENGINE=InnoDB .*utf8mb4_bin$/);
      expect(rest).toEqual([]);
    }
  });

  it('quotes the schema and the names, and lists the names as a catalogue does', () => {
    const { tables } = TABLES.in({ type: 'postgres', schema: 'a"b' }, 'orders');
    expect(tables.quoted).toEqual({ heads: '"a""b"."orders_head"', rows: '"a""b"."orders"' });
    expect(tables.names).toEqual(['orders_head', 'orders']);
    expect(tables.history).toEqual({ quoted: '"a""b"."orders_head"', schema: 'a"b', name: 'orders_head' });
  });

  it('probes every table, and drops them in the opposite order', () => {
    const { probe, drop } = on('postgres').tables;
    expect(probe).toHaveLength(2);
    expect(drop).toEqual(['DROP TABLE "shop"', 'DROP TABLE "shop_head"']);
  });

  it('accepts the default name and names that need no quotes, and refuses all others', () => {
    const check = (name: unknown): string => TABLES.nameRule.check('tableName', name);
    expect(check(undefined)).toBe('shop');
    expect(check('Shop_2')).toBe('Shop_2');
    for (const name of ['', '2shop', 'a-b', 'a.b', 'a"b', 'x'.repeat(41), null, 7])
      expect(() => check(name)).toThrow('tableName');
  });

  it('refuses a database that the library does not know', () => {
    expect(() => on('oracle')).toThrow('orders');
  });
});

const namesOf = async (dialect: SqlDialect, rows: readonly SqlRow[]): Promise<string[]> =>
  (await lossySettingsOf(dialect, { query: async () => rows })).map(({ name }) => name);

describe('the lossy settings of MariaDB and MySQL', () => {
  const FLUSH = 'innodb_flush_log_at_trx_commit';
  const lossy = (variables: Readonly<Record<string, string>>): Promise<string[]> =>
    namesOf(
      mysql,
      Object.entries(variables).map(([name, value]) => ({ Variable_name: name, Value: value })),
    );

  it.each([
    [{ [FLUSH]: '1', log_bin: 'OFF', sync_binlog: '0' }, []],
    [{ [FLUSH]: '1', log_bin: 'ON', sync_binlog: '1' }, []],
    // Flushes the end of each commit by itself.
    [{ [FLUSH]: '3', log_bin: 'ON', sync_binlog: '0' }, []],
    [{ [FLUSH]: '1', log_bin: 'ON', sync_binlog: '0' }, ['sync_binlog']],
    [{ [FLUSH]: '1', log_bin: 'ON', sync_binlog: '100' }, ['sync_binlog']],
    [{ [FLUSH]: '0', log_bin: 'OFF' }, [FLUSH]],
    [{ [FLUSH]: '2', log_bin: 'ON', sync_binlog: '1' }, [FLUSH]],
    [{ [FLUSH]: '1', innodb_flush_method: 'O_DIRECT' }, []],
    [{ [FLUSH]: '1', innodb_flush_method: 'nosync' }, ['innodb_flush_method']],
    // A damaged page has a wrong checksum.
    [{ [FLUSH]: '1', innodb_doublewrite: 'OFF', innodb_checksum_algorithm: 'crc32' }, []],
    [{ [FLUSH]: '1', innodb_doublewrite: 'ON', innodb_checksum_algorithm: 'none' }, []],
    [
      { [FLUSH]: '1', innodb_doublewrite: 'OFF', innodb_checksum_algorithm: 'strict_none' },
      ['innodb_doublewrite'],
    ],
    [
      { [FLUSH]: '1', innodb_doublewrite: 'DETECT_ONLY', innodb_checksum_algorithm: 'none' },
      ['innodb_doublewrite'],
    ],
  ])('finds the settings with which a crash can lose commits: %j', async (variables, expected) => {
    await expect(lossy(variables)).resolves.toEqual(expected);
  });
});

describe('the lossy settings of PostgreSQL', () => {
  const FSYNC = { name: 'fsync', setting: 'off' };

  it('finds fsync = off', async () => {
    await expect(namesOf(postgres, [{ ...FSYNC, is_replaced: 0 }])).resolves.toEqual(['fsync']);
  });

  it('leaves them out where the server says that it commits to a storage service', async () => {
    await expect(namesOf(postgres, [{ ...FSYNC, is_replaced: 1 }])).resolves.toEqual([]);
  });

  it('keeps them for a restart of such a server, about which nobody has asserted anything', () => {
    expect(postgres.lossySettings?.read([{ ...FSYNC, is_replaced: 1 }])).toHaveLength(1);
  });
});

/** Node 20 has no SQLite of its own. */
const builtIn: unknown = process.getBuiltinModule('node:sqlite');
const DRIVERS: readonly (readonly [name: string, driver: unknown])[] = [
  ['libsql', libsql],
  ...(builtIn === undefined ? [] : [['node:sqlite', builtIn] as const]),
];

describe.each(DRIVERS)('a connection to SQLite with %s', (_name, driver) => {
  let folder: string;
  const clients: SqliteClient[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'snowflake-client-'));
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    rmSync(folder, { recursive: true });
  });

  async function connected(): Promise<SqliteClient> {
    const options = { type: 'better-sqlite3', database: join(folder, 'new', 'ids.sqlite'), driver };
    const client = new SqliteClient({ options, connectionName: 'test', connectTimeoutMs: 1000 });
    clients.push(client);
    await client.connect();
    return client;
  }

  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error) => error,
    );

  it('returns rows of what reads, and counts the rows of what writes', async () => {
    const client = await connected();
    await client.query('CREATE TABLE ids (id integer PRIMARY KEY)', []);
    expect(await client.query('INSERT INTO ids VALUES (?), (?)', [1, 2])).toEqual({ rows: [], affected: 2 });
    const { rows } = await client.query('SELECT id FROM ids WHERE id > ?', [1]);
    expect(rows.map((row) => ({ ...row }))).toEqual([{ id: 2 }]);
  });

  it('reports a lock, a key that exists and a missing table as such', async () => {
    const [first, second] = [await connected(), await connected()];
    await first.query('CREATE TABLE ids (id integer PRIMARY KEY)', []);
    await first.query('INSERT INTO ids VALUES (1)', []);
    expect(isConflict(await failureOf(first.query('INSERT INTO ids VALUES (1)', [])))).toBe(true);
    expect(means(await failureOf(first.query('SELECT * FROM missing', [])), 'missingTable')).toBe(true);
    await first.query('BEGIN IMMEDIATE', []);
    expect(isConflict(await failureOf(second.query('BEGIN IMMEDIATE', [])))).toBe(true);
  });

  it('commits after a lock has refused an attempt to begin', async () => {
    const [first, second] = [await connected(), await connected()];
    await first.query('CREATE TABLE ids (id integer PRIMARY KEY)', []);
    await first.query('BEGIN IMMEDIATE', []);
    await failureOf(second.query('BEGIN IMMEDIATE', []));
    await first.query('COMMIT', []);
    await second.query('BEGIN IMMEDIATE', []);
    await second.query('INSERT INTO ids VALUES (1)', []);
    await second.query('COMMIT', []);
    expect((await first.query('SELECT id FROM ids', [])).rows).toHaveLength(1);
  });

  it('keeps no lock after a reader has refused its COMMIT, and it has rolled back', async () => {
    const [writer, reader, other] = [await connected(), await connected(), await connected()];
    await writer.query('CREATE TABLE ids (id integer PRIMARY KEY)', []);
    await reader.query('BEGIN', []);
    await reader.query('SELECT id FROM ids', []);
    await writer.query('BEGIN IMMEDIATE', []);
    await writer.query('INSERT INTO ids VALUES (1)', []);
    expect(isConflict(await failureOf(writer.query('COMMIT', [])))).toBe(true);
    await writer.query('ROLLBACK', []);
    await reader.query('COMMIT', []);

    await other.query('BEGIN IMMEDIATE', []);
    await other.query('INSERT INTO ids VALUES (2)', []);
    await other.query('COMMIT', []);
    expect((await reader.query('SELECT id FROM ids', [])).rows.map((row) => ({ ...row }))).toEqual([
      { id: 2 },
    ]);
  });
});

// Once this fails, SqliteClient can prepare all statements alike.
it('libsql keeps a lock after ROLLBACK if a reader has refused a prepared COMMIT (control)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-libsql-'));
  const [writer, reader, other] = Array.from({ length: 3 }, () => new libsql(join(folder, 'ids.sqlite')));
  try {
    writer!.exec('CREATE TABLE ids (id integer PRIMARY KEY)');
    reader!.exec('BEGIN; SELECT id FROM ids');
    writer!.exec('BEGIN IMMEDIATE; INSERT INTO ids VALUES (1)');
    const commit = writer!.prepare('COMMIT');
    expect(() => commit.run()).toThrow('locked');
    writer!.exec('ROLLBACK');
    reader!.exec('COMMIT');
    expect(() => other!.exec('INSERT INTO ids VALUES (2)')).toThrow('locked');
    expect(() => commit.run()).toThrow('no transaction');
    other!.exec('INSERT INTO ids VALUES (2)');
  } finally {
    for (const database of [writer, reader, other]) database!.close();
    rmSync(folder, { recursive: true });
  }
});

const missingModule = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /app/main.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
const missing = (name: string) => (): Promise<never> => Promise.reject(missingModule(name));

describe('the package of a driver', () => {
  it('prefers the package that the options bring', async () => {
    const given = {};
    await expect(driverPackage(given, { pg: missing('pg') })).resolves.toBe(given);
  });

  it('loads the first package that is installed', async () => {
    const driver = {};
    const packages = {
      'better-sqlite3': missing('better-sqlite3'),
      libsql: async () => ({ default: driver }),
    };
    await expect(driverPackage(undefined, packages)).resolves.toBe(driver);
  });

  it('names every package that would do if none is installed', async () => {
    const refusal = driverPackage(undefined, {
      'better-sqlite3': missing('better-sqlite3'),
      libsql: missing('libsql'),
      'Node 22.13': async () => undefined,
    });
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow('better-sqlite3 or libsql or Node 22.13');
  });

  it('shows why an installed package fails to load', async () => {
    const broken = async () => Promise.reject(new Error('wrong ELF class'));
    await expect(driverPackage(undefined, { libsql: broken })).rejects.toThrow('wrong ELF class');
  });

  it('names what an installed package lacks, instead of loading another one', async () => {
    const packages = { pg: missing('pg-protocol'), other: async () => ({ default: {} }) };
    const refusal = driverPackage(undefined, packages);
    await expect(refusal).rejects.toThrow(StoreRejectedError);
    await expect(refusal).rejects.toThrow(/pg, is installed but can't be loaded: .*'pg-protocol'/);
  });
});
