import { defineTables, type SqlPlace } from '../../kit/sql/tables/tables.js';
import type { RegistryHeader } from '../registry-format.js';

/** The lease tables. */
export const LEASE_TABLES = defineTables({
  use: { holds: 'leases', otherwise: 'another lease store, such as memoryLeaseStore() in tests' },
  defaultName: 'snowflake_lease',
  tables: {
    /** Has a row per namespace, which all calls lock. */
    namespaces: {
      suffix: '_namespace',
      columns:
        'namespace varchar(128) NOT NULL PRIMARY KEY, layout text, history_id varchar(255), grants_after_ms bigint,' +
        ' grants_after_reason varchar(16), longest_window_ms bigint, longest_max_skew_ms bigint, fresh_worker_id bigint,' +
        ' version_sum bigint, written_by varchar(32)',
      history: {},
    },
    /** Has a row per namespace and worker ID that was ever used. */
    leases: {
      suffix: '',
      columns:
        'namespace varchar(128) NOT NULL, worker_id integer NOT NULL, reserved_until_ms bigint NOT NULL,' +
        ' fencing_token varchar(512) NOT NULL, version bigint NOT NULL, PRIMARY KEY (namespace, worker_id)',
      // The index finds the longest offline worker ID.
      index: { suffix: '_by_end', columns: '(namespace, reserved_until_ms, worker_id)' },
    },
  },
  remedies: {
    missingTables:
      'Run the migration CreateSnowflakeLeaseTables1767225600000, set createTable: true, or run npx nestjs-snowflake-cli init ' +
      'with --create-table.',
    missingRights:
      'Grant its user SELECT, INSERT and UPDATE on both tables, and CREATE if createTable is true.',
    noHistory:
      'If this database never loses an acknowledged commit, set assumeNoLostWrites: true. Otherwise use another lease store.',
  },
  unsafeWithoutLocks: 'a worker ID could be leased',
});

/** The names of the lease tables, by which statements find them. */
export type LeaseTableName = keyof typeof LEASE_TABLES.declaration.tables;

/** The tables and the namespace of a store, and the dialect of their database. */
export interface RegistryPlace extends SqlPlace<LeaseTableName> {
  readonly namespace: string;
}

/** A field of the row of the namespace. */
export type HeaderField = keyof RegistryHeader;

/** The columns of the row of the namespace. */
export const HEADER_COLUMNS: Readonly<Record<HeaderField, string>> = {
  layout: 'layout',
  historyId: 'history_id',
  grantsAfter: 'grants_after_ms',
  grantsAfterReason: 'grants_after_reason',
  window: 'longest_window_ms',
  maxSkew: 'longest_max_skew_ms',
  fresh: 'fresh_worker_id',
};

/** Returns the name of the connections of a namespace, which is also that of their line. */
export function connectionNameOf(namespace: string): string {
  return `snowflake:${namespace}`;
}
