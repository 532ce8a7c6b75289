import { createTables } from './create-tables.js';
import { historyTable, leaseTables, type LeaseTables, probeStatements } from './lease-tables.js';
import type { SqlContent } from '../../kit/sql/content.js';
import { LEASE_REMEDIES } from '../../kit/sql/errors.js';
import type { SqlSettings } from './sql-options.js';
import { SqlRegistry } from './sql-registry.js';

/** How to find out whether the tables of leases exist and lock rows. */
export const LEASE_TABLES: Pick<
  SqlContent<LeaseTables, SqlRegistry>,
  'names' | 'probe' | 'sharedUnlocked'
> = {
  names: ({ names: { schema, namespaces, leases } }) => ({ schema, tables: [namespaces, leases] }),
  probe: probeStatements,
  sharedUnlocked: 'a worker ID could be leased',
};

/** Returns what a lease store keeps. */
export function leaseContent(settings: SqlSettings): SqlContent<LeaseTables, SqlRegistry> {
  const { dataSource, namespace, tableName, createTable, assumeNoLostWrites } = settings;
  return {
    dataSource,
    connectionName: `snowflake:${namespace}`,
    createTable,
    assumeNoLostWrites,
    remedies: LEASE_REMEDIES,
    ...LEASE_TABLES,
    tables: (options, dialect) => leaseTables(tableName, options, dialect),
    historyTable,
    create: createTables,
    registry: (statements, place) => new SqlRegistry(statements, { ...place, namespace }),
  };
}
