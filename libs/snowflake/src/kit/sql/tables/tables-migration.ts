import { createTables } from './create-tables.js';
import type { DatabaseOptions } from '../database/database-options.js';
import { NoHistory } from '../errors.js';
import { askHistory, type ServerHistory } from '../history/server-history.js';
import { type SqlRow, type Statements, statementsOver } from '../statements.js';
import type { SqlPlace, TableSet } from './tables.js';

/** What a migration needs of TypeORM's QueryRunner. */
export interface MigrationRunner {
  readonly connection: { readonly options: DatabaseOptions };
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
  startTransaction(): Promise<void>;
  commitTransaction(): Promise<void>;
  rollbackTransaction(): Promise<void>;
}

/**
 * Creates the missing tables in a migration. Stores no history if the server does not show it, as with Aurora: there a store that
 * keeps one needs an operator, unless it has `assumeNoLostWrites`.
 *
 * @throws InvalidOptionError if the database can't hold the tables
 */
export async function createByMigration<Name extends string>(
  runner: MigrationRunner,
  set: TableSet<Name>,
  tableName: string,
): Promise<void> {
  const place = set.in(runner.connection.options, tableName);
  const { tables, dialect } = place;
  const statements = statementsOver(dialect, async (sql, parameters) => {
    const rows: unknown = await runner.query(sql, parameters);
    return { rows: Array.isArray(rows) ? (rows as SqlRow[]) : [], affected: 0 };
  });
  const history = tables.history && (await dialect.findHistory(statements.query, tables.history));
  const known = { ...place, history };
  await createTables(statements, known, true, () => askSafely(runner, statements, known));
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
 * Asks for the history in a savepoint, because a question that fails must not end the transaction of the migration. Nothing is
 * written there: PostgreSQL would show another transaction as the writer of the row.
 */
async function askSafely(
  runner: MigrationRunner,
  statements: Statements,
  place: SqlPlace,
): Promise<ServerHistory | undefined> {
  const { failsWhole } = place.dialect;
  if (failsWhole) await runner.startTransaction();
  try {
    const history = await askHistory(statements, place);
    if (failsWhole) await runner.commitTransaction();
    return history;
  } catch (error) {
    if (failsWhole) await runner.rollbackTransaction();
    if (!(error instanceof NoHistory)) throw error;
    return undefined;
  }
}
