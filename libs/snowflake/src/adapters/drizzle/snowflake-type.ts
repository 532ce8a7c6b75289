import { readId, writtenId } from '../../core/ids/exact-id.js';
import { requireChoice } from '../../core/options/option-checks.js';

/** The type argument of Drizzle's `customType` for a column that holds IDs: decimal strings in the app. */
export interface SnowflakeType {
  data: string;
  driverData: string | number | bigint;
}

/** The database of the column, as in the names of Drizzle's packages. */
export type SnowflakeDialect = 'pg' | 'mysql' | 'sqlite';

/** Drizzle's `sql`, as far as a column needs it. */
export interface SqlTag<Sql> {
  (strings: TemplateStringsArray, ...values: unknown[]): Sql;
  raw(text: string): Sql;
}

/** The argument of Drizzle's `customType`. */
export interface SnowflakeTypeParams {
  dataType(): string;
  toDriver(id: string): string;
  fromDriver(value: SnowflakeType['driverData']): string;
  /** For Drizzle 1.0, which builds JSON in the database to read relations. */
  forJsonSelect<Sql>(identifier: unknown, sql: SqlTag<Sql>): Sql;
}

/** What keeps all digits in JSON. In PostgreSQL, `char` would have one character. */
const TEXT = { pg: 'text', mysql: 'char', sqlite: 'text' } as const;

/**
 * Returns the argument of `customType` for a `bigint` column that holds IDs. A value that the driver or JSON has rounded is refused,
 * so that no query returns the ID of another row.
 *
 * @throws InvalidOptionError if `dialect` is none of the three
 * @example
 * ```ts
 * const snowflake = customType<SnowflakeType>(snowflakeType('pg'));
 * export const orders = pgTable('orders', {
 *   id: snowflake('id').primaryKey().$defaultFn(ids.nextId), // of a LateIdMaker
 *   customerId: snowflake('customer_id').notNull(),
 * });
 * ```
 */
export function snowflakeType(dialect: SnowflakeDialect): SnowflakeTypeParams {
  const text = TEXT[requireChoice('dialect', dialect, ['pg', 'mysql', 'sqlite'])];
  return {
    dataType: () => 'bigint',
    toDriver: writtenId,
    fromDriver: readId,
    forJsonSelect: (identifier, sql) => sql`cast(${identifier} as ${sql.raw(text)})`,
  };
}
