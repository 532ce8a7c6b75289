import { checkedOptions, flag, type OptionRules } from '../../core/options/option-rule.js';
import { NAMESPACE } from '../namespace.js';
import {
  chosenDatabase,
  DATABASE_OPTIONS,
  type SqlStoreOptions,
} from '../../kit/sql/database/database-choice.js';
import { LEASE_TABLES } from './lease-tables.js';

/** Options of `sqlLeaseStore`. */
export interface SqlLeaseStoreOptions extends SqlStoreOptions {
  /**
   * Name of the ID space, the same for all processes whose IDs must differ.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`.
   */
  readonly namespace: string;

  /**
   * Name of the table of worker IDs. A second table, `<tableName>_namespace`, has a row per namespace.
   * Bounds: 1 to 40 letters, digits and `_`, no digit first.
   *
   * @defaultValue `'snowflake_lease'`
   */
  readonly tableName?: string;

  /**
   * Whether the store creates missing tables, even if several processes start at once.
   *
   * If `false`, run the migration `CreateSnowflakeLeaseTables1767225600000`.
   *
   * @defaultValue `false`
   */
  readonly createTable?: boolean;
}

/** Checked options, with the defaults filled in and the database found. */
export interface SqlSettings extends Required<
  Omit<SqlLeaseStoreOptions, 'url' | 'driverOptions' | 'schema'>
> {
  /** Whether the app gave a DataSource, which may also hold its entities. */
  readonly hasDataSource: boolean;
}

export const SQL_OPTIONS = {
  ...DATABASE_OPTIONS,
  namespace: NAMESPACE,
  tableName: LEASE_TABLES.nameRule,
  createTable: flag().or(false),
} satisfies OptionRules<SqlLeaseStoreOptions>;

/**
 * Refuses options that cannot work, and fills in the defaults.
 *
 * @throws InvalidOptionError that names the option, its value and the remedy
 */
export function checkSqlOptions(options: SqlLeaseStoreOptions): SqlSettings {
  const { url, driverOptions, schema, dataSource, ...settings } = checkedOptions(
    'options',
    options,
    SQL_OPTIONS,
  );
  return {
    ...settings,
    dataSource: chosenDatabase({ url, driverOptions, schema, dataSource }),
    hasDataSource: dataSource !== undefined,
  };
}
