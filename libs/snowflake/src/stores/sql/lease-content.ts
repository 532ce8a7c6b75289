import { createTables } from './create-tables.js';
import { historyTable, leaseTables, type LeaseTables, probeStatements } from './lease-tables.js';
import type { SqlContent } from './sql-content.js';
import { LEASE_REMEDIES } from './sql-errors.js';
import type { SqlSettings } from './sql-options.js';
import { SqlRegistry } from './sql-registry.js';

/** Returns what a lease store keeps. */
export function leaseContent(settings: SqlSettings): SqlContent<LeaseTables, SqlRegistry> {
  const { dataSource, namespace, tableName, createTable, assumeNoLostCommits } = settings;
  return {
    dataSource,
    connectionName: `snowflake:${namespace}`,
    createTable,
    assumeNoLostCommits,
    remedies: LEASE_REMEDIES,
    sharedUnlocked: 'a worker ID could be leased',
    tables: (options, dialect) => leaseTables(tableName, options, dialect),
    historyTable,
    names: ({ names: { schema, namespaces, leases } }) => ({ schema, tables: [namespaces, leases] }),
    probe: probeStatements,
    create: createTables,
    registry: (statements, place) => new SqlRegistry(statements, { ...place, namespace }),
  };
}
