import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import libsql from 'libsql';
import { CreateSnowflakeSegmentTables1767225600002 } from 'nestjs-snowflake-segments';
import { CreateSnowflakeSeriesTables1767225600010, SeriesSubscriber } from 'nestjs-snowflake-series';
import { prepareDatabase, SnowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { mysqlWithLockTimeout } from './mysql-lock-timeout.js';
import { CreateTables1767225600000 } from './migrations/1767225600000-create-tables.js';
import { CreateInvoices1767225600020 } from './migrations/1767225600020-create-invoices.js';
import { CreateTickets1767225600030 } from './migrations/1767225600030-create-tickets.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** Longest run of a statement on PostgreSQL, so that every client gets a response. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** After it, the server ends a transaction whose process hangs. Until then, others wait for its row locks and numbers. */
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000;

/** One wait for SQLite's lock. It blocks the process, so it's short and is repeated until the lock timeout. */
const SQLITE_BUSY_TIMEOUT_MS = 250;

const common = {
  autoLoadEntities: true,
  // Assign the IDs and the numbers of new rows. `SnowflakeModule` attaches the ID maker.
  subscribers: [SnowflakeSubscriber, SeriesSubscriber],
  // Uses migrations everywhere, because `synchronize` can drop columns. If several processes start on an empty
  // database, one creates the tables and the others find them when they retry.
  migrations: [
    CreateTables1767225600000,
    CreateSnowflakeSegmentTables1767225600002,
    CreateSnowflakeSeriesTables1767225600010,
    CreateInvoices1767225600020,
    CreateTickets1767225600030,
  ],
  migrationsRun: true,
  // Outlasts another process that creates the tables on a busy machine.
  retryAttempts: 10,
  retryDelay: 1_000,
  verboseRetryLog: true,
} satisfies TypeOrmModuleOptions;

/** The database to connect to: the server at `url` if set, else the SQLite file. */
export interface DatabaseConfig {
  readonly url?: string | undefined;
  readonly sqlitePath: string;
  /** Longest wait for a lock, in milliseconds: of a statement; on SQLite, of a transaction. */
  readonly lockTimeoutMs: number;
}

/** Returns TypeORM's options for the configured database, with the tables of this backend. */
export function databaseOptions(config: DatabaseConfig): TypeOrmModuleOptions {
  return { ...common, ...connectionOptions(config) };
}

/** Returns TypeORM's options for a connection to the configured database, without tables. */
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
      // This bounds the wait for a free connection of the pool, too. All of them may wait for a lock.
      connectTimeoutMS: Math.max(CONNECT_TIMEOUT_MS, lockTimeoutMs),
      extra: {
        statement_timeout: STATEMENT_TIMEOUT_MS,
        lock_timeout: lockTimeoutMs,
        idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
      },
    };
  }
  const isMysql = url.startsWith('mysql:');
  return {
    type: isMysql ? 'mysql' : 'mariadb',
    url,
    // MySQL has no bound for idle transactions.
    driver: mysqlWithLockTimeout(lockTimeoutMs, isMysql ? undefined : IDLE_TRANSACTION_TIMEOUT_MS),
    connectTimeout: CONNECT_TIMEOUT_MS,
    charset: 'utf8mb4_unicode_ci',
  };
}
