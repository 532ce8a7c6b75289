import type { HistoryTable, SqlDialect } from './dialect.js';
import { isUnsupported } from './errors.js';
import type { Statements } from './statements.js';

/**
 * Returns where the tables of a store are, such as `schema "public"`, as the server finds them by its search path; `undefined`
 * if they are missing, or in a file.
 */
export async function placeOf(
  { place }: Pick<SqlDialect, 'place'>,
  { query }: Pick<Statements, 'query'>,
  table: HistoryTable | undefined,
): Promise<string | undefined> {
  if (!place || !table) return undefined;
  try {
    const [row] = await query(`SELECT ${place.expression(table)} AS place`);
    const name = row?.['place'];
    return typeof name === 'string' ? `${place.word} "${name}"` : undefined;
  } catch (error) {
    if (isUnsupported(error)) return undefined;
    throw error;
  }
}
