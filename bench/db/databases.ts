import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { prepareDatabase, type SqliteDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { startMariaDb, startPostgres } from '../../test/support/servers/index.js';
import type { KeyKind } from './key-kind.js';
import { mariaDbSizes, postgresSizes, type SizesOf, sqliteSizes } from './table-sizes.js';

export const DATABASE_NAMES = ['postgres', 'mariadb', 'sqlite'] as const;
export type DatabaseName = (typeof DATABASE_NAMES)[number];

/** A database that was started for the measurement. */
export interface BenchDatabase {
  readonly label: string;
  /** What the numbers hang on: the same for all keys. */
  readonly settings: string;
  readonly versionQuery: string;
  /** What a team runs after a large import, so that the planner has statistics of the table. */
  readonly analyse: string;
  readonly sizesOf: SizesOf;
  /** Options of a DataSource on an empty database of its own. */
  optionsFor(kind: KeyKind): Promise<DataSourceOptions>;
  stop(): Promise<void>;
}

const START: Record<DatabaseName, () => Promise<BenchDatabase>> = {
  postgres: openPostgres,
  mariadb: openMariaDb,
  sqlite: openSqlite,
};

export function startDatabase(name: DatabaseName): Promise<BenchDatabase> {
  return START[name]();
}

/** Each kind has a DataSource of its own, so that none pays for the subscriber of another. */
export async function connect(database: BenchDatabase, kind: KeyKind): Promise<DataSource> {
  const dataSource = new DataSource({
    ...(await database.optionsFor(kind)),
    entities: [kind.entity],
    subscribers: kind.subscribers,
    synchronize: true,
  });
  kind.attach(dataSource);
  await dataSource.initialize();
  await kind.prepare?.(dataSource);
  return dataSource;
}

async function openPostgres(): Promise<BenchDatabase> {
  const server = await startPostgres();
  return {
    label: 'PostgreSQL',
    versionQuery: "SELECT split_part(current_setting('server_version'), ' ', 1) AS version",
    settings: 'shared_buffers 128 MB; fsync, synchronous_commit, full_page_writes and autovacuum off',
    analyse: 'VACUUM ANALYZE orders',
    sizesOf: postgresSizes,
    optionsFor: async ({ name }) => ({
      type: 'postgres',
      url: await server.createDatabase(name),
      poolSize: 1,
      // Takes gen_random_uuid(), which is faster than TypeORM's default.
      uuidExtension: 'pgcrypto',
    }),
    stop: () => server.stop(),
  };
}

async function openMariaDb(): Promise<BenchDatabase> {
  const server = await startMariaDb();
  await execute(server.url, [
    // Its tests make do with 32 MB. The tables fit into this one, as they do into PostgreSQL's page cache.
    'SET GLOBAL innodb_buffer_pool_size = 1073741824',
    // The database is temporary.
    'SET GLOBAL innodb_fast_shutdown = 2',
  ]);
  return {
    label: 'MariaDB',
    versionQuery: "SELECT SUBSTRING_INDEX(VERSION(), '-', 1) AS version",
    settings: 'innodb_buffer_pool_size 1 GB, innodb_flush_log_at_trx_commit 0, no binary log',
    analyse: 'ANALYZE TABLE orders',
    sizesOf: mariaDbSizes,
    optionsFor: async ({ name }) => ({
      type: 'mariadb',
      url: await server.createDatabase(name),
      poolSize: 1,
    }),
    stop: () => server.stop(),
  };
}

async function openSqlite(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'snowflake-bench-'));
  return {
    label: 'SQLite',
    versionQuery: 'SELECT sqlite_version() AS version',
    settings: 'a file through libsql, journal_mode WAL, synchronous OFF, cache_size 128 MB',
    analyse: 'ANALYZE',
    sizesOf: sqliteSizes,
    optionsFor: ({ name }) =>
      Promise.resolve({
        type: 'better-sqlite3',
        driver: libsql,
        database: join(folder, `${name}.db`),
        prepareDatabase: (database: SqliteDatabase) => {
          database.pragma('journal_mode = WAL');
          database.pragma('synchronous = OFF');
          database.pragma('cache_size = -131072');
          // Only the 64-bit key needs it, so only that one pays for it.
          if (name.startsWith('snowflake')) prepareDatabase(database);
        },
      }),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function execute(url: string, statements: readonly string[]): Promise<void> {
  const dataSource = await new DataSource({ type: 'mariadb', url, poolSize: 1 }).initialize();
  try {
    for (const statement of statements) await dataSource.query(statement);
  } finally {
    await dataSource.destroy();
  }
}
