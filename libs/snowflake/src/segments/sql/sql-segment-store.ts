import { systemClock } from '../../core/index.js';
import type { SqlDatabaseSource } from '../../kit/sql/database-choice.js';
import { sharedDialectOf } from '../../kit/sql/dialects.js';
import { OwnConnection } from '../../kit/sql/own-connection.js';
import { dataSourceOptions } from '../../kit/sql/given-database.js';
import { type MemberStore, RegistrySegmentStore } from '../protocol/index.js';
import type { SegmentStore } from '../segment-store.js';
import { segmentContent } from './segment-content.js';
import { SEGMENT_TABLES } from './segment-tables.js';
import { SpreadSegmentStore } from './spread-segment-store.js';
import {
  checkSegmentOptions,
  type SqlSegmentSettings,
  type SqlSegmentStoreOptions,
} from './sql-segment-options.js';

/**
 * Keeps tags and counters in a TypeORM database: PostgreSQL, MySQL, MariaDB, or SQLite in a file. Needs three small tables:
 * run the migration `CreateSnowflakeSegmentTables1767225600002`, or set `createTable`.
 *
 * Each claim is one transaction on the store's own connection, which locks the row of the tag. The store keeps the server's
 * history ID with the counters. If it changes, committed claims may be lost, so the store refuses all claims until an operator
 * has called {@link SegmentStore.resume}.
 *
 * @throws InvalidOptionError if an option is missing, malformed or contradicts another
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
  const { tableName, stride } = settings;
  const options = typeof dataSource === 'function' ? undefined : dataSourceOptions(dataSource);
  if (options) sharedDialectOf(options, SEGMENT_TABLES.declaration.use);
  const kind = options?.type === 'better-sqlite3' ? 'sqlite' : (options?.type ?? 'sql');
  const description = `${kind} table "${tableName}"${stride === 1 ? '' : ` (${remainder} of ${stride})`}`;
  const content = segmentContent(settings, dataSource, description);
  const connection = new OwnConnection(
    () => description,
    content,
    systemClock,
    (dialect) => dialect,
  );
  return new RegistrySegmentStore(description, { stride, remainder }, connection);
}
