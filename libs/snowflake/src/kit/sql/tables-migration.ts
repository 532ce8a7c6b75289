import type { DatabaseOptions } from './database-options.js';
import type { HistoryExpressions } from './dialect.js';
import { createTables } from './create-tables.js';
import { NoHistory } from './errors.js';
import { askHistory } from './server-history.js';
import { type SqlRow, type Statements, statementsOver } from './statements.js';
import type { SqlPlace, TableSet } from './tables.js';

/** What a migration needs of TypeORM's QueryRunner. */
export interface MigrationRunner {
  readonly connection: { readonly options: DatabaseOptions };
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
  startTransaction(): Promise<void>;
  commitTransaction(): Promise<void>;
  rollbackTransaction(): Promise<void>;
}

/** Creates the missing tables in a migration. @throws InvalidOptionError if the database can't hold them */
export async function createByMigration<Name extends string>(
  runner: MigrationRunner,
  set: TableSet<Name>,
  tableName: string,
): Promise<void> {
  const place = set.in(runner.connection.options, tableName);
  const statements = statementsOver(place.dialect, async (sql, parameters) => {
    const rows: unknown = await runner.query(sql, parameters);
    return { rows: Array.isArray(rows) ? (rows as SqlRow[]) : [], affected: 0 };
  });
  await createTables(statements, { ...place, history: await readableHistory(runner, statements, place) });
}

/** Drops the tables in a migration that is reverted. */
export async function dropByMigration<Name extends string>(
  runner: MigrationRunner,
  set: TableSet<Name>,
  tableName: string,
): Promise<void> {
  const { tables } = set.in(runner.connection.options, tableName);
  for (const statement of tables.drop) await runner.query(statement);
}

/**
 * Returns how the server shows the history that the tables keep; `undefined` if it does not, as with Aurora. There the store
 * needs an operator, unless it has `assumeNoLostWrites`.
 */
async function readableHistory(
  runner: MigrationRunner,
  { query }: Statements,
  { dialect, tables }: SqlPlace,
): Promise<HistoryExpressions | undefined> {
  const declared = tables.declaration.history;
  if (!tables.history || declared?.keptUnder === undefined) return undefined;
  const history = await dialect.findHistory(query, tables.history);
  for (const statement of tables.createOne(declared.table)) await query(statement);
  if (dialect.failsWhole) await runner.startTransaction();
  try {
    await askHistory({ query }, { dialect, history });
    if (dialect.failsWhole) await runner.commitTransaction();
    return history;
  } catch (error) {
    if (dialect.failsWhole) await runner.rollbackTransaction();
    if (!(error instanceof NoHistory)) throw error;
    return undefined;
  }
}
