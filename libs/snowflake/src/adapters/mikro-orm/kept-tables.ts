import { seeDocs } from '../../core/see-docs.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';

/** The part of the option `schemaGenerator` of MikroORM that names tables. */
export interface OrmSchemaGenerator {
  readonly skipTables?: readonly (string | RegExp)[];
  readonly takeTables?: readonly (string | RegExp)[];
}

/** Executes a statement on the database of the entities. */
export type Execute = (sql: string, parameters: string[]) => Promise<unknown>;

/** The tables of leases, segments and series, if the app keeps their names. */
const OURS = /^snowflake_(lease|segment|series)(_|$)/;

/** MySQL lists the tables of every database, and PostgreSQL those of one. SQLite has no such list, and never logs an error. */
const LISTS = [
  `SELECT table_name AS name FROM information_schema.tables WHERE table_name LIKE 'snowflake%' AND ? IN (table_schema, table_catalog)`,
  `SELECT name FROM sqlite_master WHERE name LIKE 'snowflake%' AND ? <> ''`,
];

/**
 * Refuses options with which `migration:create`, `schema:update` and `schema:fresh` drop tables of the library: MikroORM drops
 * every table that no entity has.
 *
 * @throws InvalidOptionError
 */
export async function requireKeptTables(
  execute: Execute,
  database: string,
  { skipTables, takeTables }: OrmSchemaGenerator = {},
): Promise<void> {
  const dropped = (await ourTables(execute, database)).filter(
    (table) => matches(table, takeTables ?? [/^/]) && !matches(table, skipTables ?? []),
  );
  if (dropped.length === 0) return;
  throw new InvalidOptionError(
    'schemaGenerator.skipTables',
    skipTables,
    `lets the migrations of MikroORM drop ${dropped.join(', ')}, which hold leases and counters of this library`,
    `Set schemaGenerator: { skipTables: [/^snowflake_/] }. ${seeDocs('guides/other-orms', 'Keep the tables of the library')}`,
  );
}

/** Compares names as MikroORM does. */
function matches(table: string, patterns: readonly (string | RegExp)[]): boolean {
  return patterns.some((pattern) =>
    typeof pattern === 'string' ? table.toLowerCase() === pattern.toLowerCase() : pattern.test(table),
  );
}

async function ourTables(execute: Execute, database: string): Promise<string[]> {
  for (const sql of LISTS) {
    const rows = await execute(sql, [database]).catch(() => undefined);
    if (rows !== undefined)
      return (rows as { name: string }[]).map(({ name }) => name).filter((name) => OURS.test(name));
  }
  return [];
}
