import type { SqlContent } from '../../kit/sql/content.js';
import { LEASE_TABLES, type LeaseTableName } from './lease-tables.js';
import type { SqlSettings } from './sql-options.js';
import { SqlRegistry } from './sql-registry.js';

/** Returns what a lease store keeps. */
export function leaseContent(settings: SqlSettings): SqlContent<LeaseTableName, SqlRegistry> {
  const { namespace, dataSource, tableName, createTable, assumeNoLostWrites } = settings;
  return {
    dataSource,
    connectionName: `snowflake:${namespace}`,
    tables: LEASE_TABLES,
    tableName,
    createTable,
    assumeNoLostWrites,
    registry: (statements, place) => new SqlRegistry(statements, { ...place, namespace }),
  };
}
