import { createLeases, createNamespaces } from './lease-tables.js';
import type { RegistryPlace } from './sql-registry.js';
import type { Statements } from '../../kit/sql/statements.js';

/** Creates the missing tables. */
export async function createTables(
  statements: Pick<Statements, 'query'>,
  { tables, dialect }: Pick<RegistryPlace, 'tables' | 'dialect'>,
): Promise<void> {
  await statements.query(createNamespaces(tables, dialect));
  for (const statement of createLeases(tables, dialect)) await statements.query(statement);
}
