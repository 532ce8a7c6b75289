import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import libsql from 'libsql';
import { prepareDatabase, SnowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { mysqlWithLockTimeout } from './mysql-lock-timeout.js';
import { CreateTables1767225600000 } from './migrations/1767225600000-create-tables.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** No statement runs longer on PostgreSQL: a client should get an answer. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** SQLite waits by blocking the whole process, signals included: so briefly, and again until the lock timeout. */
const SQLITE_BUSY_TIMEOUT_MS = 250;

const common = {
  autoLoadEntities: true,
  // Makes the IDs of new rows. `SnowflakeModule` gives it its source.
  subscribers: [SnowflakeSubscriber],
  // The same tables everywhere, in production too: migrations instead of `synchronize`, which may drop a column.
  // Of several processes that start on an empty database one creates the tables; the others find them on a retry.
  migrations: [CreateTables1767225600000],
  migrationsRun: true,
  retryAttempts: 3,
  retryDelay: 1_000,
  verboseRetryLog: true,
} satisfies TypeOrmModuleOptions;

/** Where the rows are kept: the SQLite file unless there is a URL. */
export interface DatabaseConfig {
  readonly url?: string | undefined;
  readonly sqlitePath: string;
  /** Longest wait of a statement for a lock; on SQLite, of a transaction. */
  readonly lockTimeoutMs: number;
}

/** TypeORM's options for the configured database, with the tables of this backend. */
export function databaseOptions(config: DatabaseConfig): TypeOrmModuleOptions {
  return { ...common, ...connectionOptions(config) };
}

/** TypeORM's options for a connection to the configured database. */
export function connectionOptions({ url, sqlitePath, lockTimeoutMs }: DatabaseConfig): DataSourceOptions {
  if (url === undefined) {
    return {
      type: 'better-sqlite3',
      driver: libsql,
      database: sqlitePath,
      timeout: SQLITE_BUSY_TIMEOUT_MS,
      prepareDatabase,
      enableWAL: true,
    };
  }
  if (url.startsWith('postgres')) {
    return {
      type: 'postgres',
      url,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      extra: { statement_timeout: STATEMENT_TIMEOUT_MS, lock_timeout: lockTimeoutMs },
    };
  }
  return {
    type: url.startsWith('mysql:') ? 'mysql' : 'mariadb',
    url,
    driver: mysqlWithLockTimeout(lockTimeoutMs),
    connectTimeout: CONNECT_TIMEOUT_MS,
    charset: 'utf8mb4_unicode_ci',
  };
}
