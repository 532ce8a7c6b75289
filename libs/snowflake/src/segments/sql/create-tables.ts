import { askHistory } from '../../kit/sql/server-history.js';
import type { Statements } from '../../kit/sql/statements.js';
import { createCounters, createStates } from './segment-tables.js';
import { type SegmentPlace, TableHistory } from './table-history.js';

/**
 * Creates the missing tables, and stores the history ID in which it did so. A server that took over from another server may
 * have missed earlier tables, so there an operator must name the highest numbers first.
 */
export async function createTables(
  statements: Pick<Statements, 'query'>,
  place: SegmentPlace,
): Promise<void> {
  const { tables, dialect } = place;
  await statements.query(createStates(tables, dialect));
  const history = await askHistory(statements, place);
  if (history?.sinceMs === 0) await new TableHistory(statements, place).begin();
  for (const statement of createCounters(tables, dialect)) await statements.query(statement);
}
