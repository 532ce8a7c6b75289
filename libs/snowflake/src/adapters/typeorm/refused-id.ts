import type { DataSource } from 'typeorm';
import { InvalidIdError } from '../../core/errors/input-errors.js';
import { wordsOf } from '../../core/ids/id-words.js';
import { findSnowflakeColumns } from './snowflake-columns.js';

/** PostgreSQL: a text that is no integer, and an integer beyond 64 bits. */
const NO_INTEGER = ['22P02', '22003'];

/**
 * Returns the error for a query that PostgreSQL has refused because a condition compares an ID with something else, as in
 * `findOneBy({ id: 'abc' })`. TypeORM looks up a row that `save()` may find before it calls any subscriber.
 *
 * @returns undefined if the query failed for another reason
 */
export function refusedId(
  { entityMetadatas }: DataSource,
  query: string,
  parameters: readonly unknown[],
  error: unknown,
): InvalidIdError | undefined {
  if (!NO_INTEGER.includes((error as { readonly code?: string } | undefined)?.code ?? '')) return undefined;
  for (const metadata of entityMetadatas) {
    for (const { databaseName, propertyPath } of findSnowflakeColumns(metadata).all) {
      const wrong = comparedWith(query, metadata.tableName, databaseName)
        .map((place) => parameters[place - 1])
        .map((value) => ({ value, problem: problemOf(value) }))
        .find(({ problem }) => problem !== undefined);
      if (wrong?.problem === undefined) continue;
      const remedy = `Pass the decimal string that nextId() returned for ${metadata.name}.${propertyPath}.`;
      return new InvalidIdError(wrong.value, wrong.problem, remedy);
    }
  }
  return undefined;
}

/** Returns the numbers of the parameters that a statement of TypeORM compares with a column, or sets it to. */
function comparedWith(query: string, table: string, column: string): number[] {
  // In a SELECT, columns are named by the alias of their table; in an UPDATE and a DELETE, by nothing.
  const prefixes = [...query.matchAll(new RegExp(`"${escaped(table)}" "([^"]+)"`, 'g'))].map(
    ([, alias = '']) => `"${escaped(alias)}"\\.`,
  );
  if (new RegExp(`^(UPDATE|DELETE FROM) \\S*"${escaped(table)}"`).test(query)) prefixes.push('(?<!\\.)');
  return prefixes.flatMap((prefix) => {
    const comparison = new RegExp(`${prefix}"${escaped(column)}" (?:=|IN) \\(?((?:\\$\\d+(?:, )?)+)`, 'g');
    return [...query.matchAll(comparison)].flatMap(
      ([, places = '']) => places.match(/\d+/g)?.map(Number) ?? [],
    );
  });
}

function problemOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return undefined;
  if (typeof value !== 'string' && typeof value !== 'bigint') return `is of type ${typeof value}`;
  try {
    wordsOf(value);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidIdError) return error.problem;
    throw error;
  }
}

function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
