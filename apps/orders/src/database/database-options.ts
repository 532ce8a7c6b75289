import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import libsql from 'libsql';
import { prepareDatabase, SnowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { CreateTables1767225600000 } from './migrations/1767225600000-create-tables.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** No statement waits longer for a lock: a client should get an answer, and a shutdown has to end. */
const STATEMENT_TIMEOUT_MS = 30_000;

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
}

/** TypeORM's options for the configured database, with the tables of this backend. */
export function databaseOptions(config: DatabaseConfig): TypeOrmModuleOptions {
  return { ...common, ...connectionOptions(config) };
}

/** TypeORM's options for a connection to the configured database. */
export function connectionOptions({ url, sqlitePath }: DatabaseConfig): DataSourceOptions {
  if (url === undefined) {
    return {
      type: 'better-sqlite3',
      driver: libsql,
      database: sqlitePath,
      prepareDatabase,
      enableWAL: true,
    };
  }
  if (url.startsWith('postgres')) {
    return {
      type: 'postgres',
      url,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      extra: { statement_timeout: STATEMENT_TIMEOUT_MS },
    };
  }
  return {
    type: url.startsWith('mysql:') ? 'mysql' : 'mariadb',
    url,
    connectTimeout: CONNECT_TIMEOUT_MS,
    charset: 'utf8mb4_unicode_ci',
  };
}
