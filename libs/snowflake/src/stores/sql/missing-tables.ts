import { createStatements, probeStatements } from './lease-tables.js';
import type { SqlDatabase } from './sql-database.js';
import { isCreatedTwice, isMissingTable } from './sql-errors.js';
import type { SqlSession } from './sql-session.js';

const CREATE_ATTEMPTS = 5;

/**
 * Creates the tables unless they are there. To create one takes a right even where it exists, so it is looked for first;
 * and in transactions, for only those bound the wait of the server when somebody has locked a table.
 */
export async function createMissingTables(database: SqlDatabase, session: SqlSession): Promise<void> {
  const {
    tables,
    session: { dialect },
  } = database;
  const execute = (statements: readonly string[]) => session.transact(() => session.execute(statements));
  for (let attempt = 1; ; attempt += 1) {
    try {
      await execute(probeStatements(tables));
      return;
    } catch (error) {
      if (!isMissingTable(error)) throw error;
    }
    try {
      await execute(createStatements(tables, dialect));
    } catch (error) {
      if (!isCreatedTwice(error) || attempt === CREATE_ATTEMPTS) throw error;
    }
  }
}
