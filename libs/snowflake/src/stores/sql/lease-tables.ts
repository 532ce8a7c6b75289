import type { DatabaseOptions } from '../../kit/sql/database-options.js';
import { InvalidOptionError } from '../../core/errors/index.js';
import type { HistoryTable, SqlDialect } from '../../kit/sql/dialect.js';

/** The default name of the table of worker IDs. */
export const DEFAULT_TABLE_NAME = 'snowflake_lease';

/** The quoted names of a store's tables. */
export interface LeaseTables {
  /** Has a row per namespace and worker ID that was ever used. */
  readonly leases: string;
  /** Has a row per namespace, which all calls lock. */
  readonly namespaces: string;
  /** The index that finds the longest-offline worker ID. */
  readonly index: string;
  /** The names of both tables as a catalogue lists them. */
  readonly names: {
    readonly schema?: string;
    readonly leases: string;
    readonly namespaces: string;
  };
}

/**
 * Returns `tableName` if it is a valid name.
 *
 * @param option the option as the user writes it
 * @throws InvalidOptionError
 */
export function checkTableName(
  tableName: unknown,
  defaultName = DEFAULT_TABLE_NAME,
  option = 'tableName',
): string {
  if (typeof tableName === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,39}$/.test(tableName)) return tableName;
  throw new InvalidOptionError(
    option,
    tableName,
    'must have 1 to 40 letters, digits and _, no digit first',
    `Omit it to use '${defaultName}'; set a schema in the DataSource.`,
  );
}

/** Returns the tables for `tableName` in a database. */
export function leaseTables(tableName: string, options: DatabaseOptions, dialect: SqlDialect): LeaseTables {
  const { schema } = options;
  const path = (name: string): string => [...(schema ? [schema] : []), name].map(dialect.quote).join('.');
  const names = { schema, leases: tableName, namespaces: `${tableName}_namespace` };
  return {
    leases: path(names.leases),
    namespaces: path(names.namespaces),
    index: dialect.quote(`${tableName}_by_end`),
    names,
  };
}

/** Returns the table whose recreation is part of the history. */
export function historyTable({ namespaces, names }: LeaseTables): HistoryTable {
  return { quoted: namespaces, schema: names.schema, name: names.namespaces };
}

/** Returns the statement that creates the table of namespaces unless it exists. */
export function createNamespaces({ namespaces }: LeaseTables, { tableOptions }: SqlDialect): string {
  return (
    `CREATE TABLE IF NOT EXISTS ${namespaces} (` +
    'namespace varchar(128) NOT NULL PRIMARY KEY, layout text, history_id varchar(255), grants_after_ms bigint,' +
    ' grants_after_reason varchar(16), longest_window_ms bigint, longest_max_skew_ms bigint, fresh_worker_id bigint,' +
    ` version_sum bigint, written_by varchar(32))${tableOptions}`
  );
}

/** Returns the statements that create the table of worker IDs unless it exists. */
export function createLeases({ leases, index }: LeaseTables, dialect: SqlDialect): readonly string[] {
  const byEnd = '(namespace, reserved_until_ms, worker_id)';
  const { tableOptions, hasIndexInTable } = dialect;
  return [
    `CREATE TABLE IF NOT EXISTS ${leases} (` +
      'namespace varchar(128) NOT NULL, worker_id integer NOT NULL, reserved_until_ms bigint NOT NULL,' +
      ' fencing_token varchar(512) NOT NULL, version bigint NOT NULL, PRIMARY KEY (namespace, worker_id)' +
      `${hasIndexInTable ? `, KEY ${index} ${byEnd}` : ''})${tableOptions}`,
    ...(hasIndexInTable ? [] : [`CREATE INDEX IF NOT EXISTS ${index} ON ${leases} ${byEnd}`]),
  ];
}

/** Returns the statements that drop both tables. */
export function dropStatements({ leases, namespaces }: LeaseTables): readonly string[] {
  return [`DROP TABLE ${leases}`, `DROP TABLE ${namespaces}`];
}

/** Returns statements that fail if a table is missing. */
export function probeStatements({ leases, namespaces }: LeaseTables): readonly string[] {
  return [namespaces, leases].map((table) => `SELECT 1 FROM ${table} WHERE 1 = 0`);
}
