import { systemClock } from 'nestjs-snowflake/core';
import { dataSourceOptions } from 'nestjs-snowflake/internal/kit/sql/database/database-choice';
import { kindOf, requireSharedDatabase } from 'nestjs-snowflake/internal/kit/sql/dialects/dialects';
import { OwnConnection } from 'nestjs-snowflake/internal/kit/sql/own-connection';
import type { SqlDatabaseSource } from 'nestjs-snowflake/sql';
import { type MemberStore, RegistrySegmentStore } from '../protocol/registry-segment-store.js';
import type { SegmentStore } from '../store/segment-store.js';
import { SEGMENT_TABLES } from './segment-tables.js';
import { SqlSegmentRegistry } from './sql-segment-registry.js';
import { SpreadSegmentStore } from './spread-segment-store.js';
import {
  checkSegmentOptions,
  type SqlSegmentSettings,
  type SqlSegmentStoreOptions,
} from './sql-segment-options.js';

/**
 * Keeps tags and counters in a database: PostgreSQL, MySQL, MariaDB, or SQLite in a file. The store needs three small tables:
 * run the migration `CreateSnowflakeSegmentTables1767225600002`, or set `createTable`.
 *
 * Each claim is one transaction on the store's own connection, which locks the row of the tag. The store keeps the
 * server's history ID with the counters. If that ID changes, committed claims may be lost, so the store refuses all
 * claims until an operator has called {@link SegmentStore.resume}.
 *
 * @throws InvalidOptionError if an option is missing, malformed or contradicts another
 * @example
 * ```ts
 * SegmentModule.forRootAsync({
 *   tags: ['ticket'],
 *   inject: [DataSource],
 *   useFactory: (dataSource: DataSource) => ({ store: sqlSegmentStore({ dataSource, createTable: true }) }),
 * })
 * ```
 */
export function sqlSegmentStore(options: SqlSegmentStoreOptions): SegmentStore {
  const settings = checkSegmentOptions(options);
  const stores = settings.databases.map((dataSource, remainder) => storeOf(settings, dataSource, remainder));
  const [only] = stores;
  return only && options.dataSources === undefined ? only : new SpreadSegmentStore(stores, systemClock);
}

function storeOf(
  settings: SqlSegmentSettings,
  dataSource: SqlDatabaseSource,
  remainder: number,
): MemberStore {
  const { tableName, stride, createTable, assumeNoLostWrites, possibleLoss } = settings;
  const options = typeof dataSource === 'function' ? undefined : dataSourceOptions(dataSource);
  if (options) requireSharedDatabase(options, SEGMENT_TABLES.use);
  const kind = options ? kindOf(options) : 'sql';
  const description = `${kind} table "${tableName}"${stride === 1 ? '' : ` (${remainder} of ${stride})`}`;
  const connection = new OwnConnection(
    () => description,
    {
      dataSource,
      connectionName: 'snowflake:segments',
      tables: SEGMENT_TABLES,
      tableName,
      createTable,
      assumeNoLostWrites,
      trustsRestarts: possibleLoss !== 'refuseRestarts',
      registry: (statements, place) => new SqlSegmentRegistry(statements, place, possibleLoss, description),
    },
    systemClock,
  );
  return new RegistrySegmentStore(description, { stride, remainder }, connection);
}
