import { createLeases, createNamespaces } from './lease-tables.js';
import { askHistory } from './server-history.js';
import type { RegistryPlace, Statements } from './sql-registry.js';
import { TableHistory } from './table-history.js';

/**
 * Creates the missing tables, and stores the history ID in which it did so. Creates the table of worker IDs last, so a
 * process that finds it also finds the history ID.
 */
export async function createTables(
  statements: Pick<Statements, 'query'>,
  place: Pick<RegistryPlace, 'tables' | 'dialect' | 'history'>,
): Promise<void> {
  const { tables, dialect } = place;
  await statements.query(createNamespaces(tables, dialect));
  const history = await askHistory(statements, place);
  if (history) await new TableHistory(statements, place).begin(history);
  for (const statement of createLeases(tables, dialect)) await statements.query(statement);
}
