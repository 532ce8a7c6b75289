import type { IdRange } from 'nestjs-snowflake/core';

/** A name that needs no quotes in SQL, with a table before it or not. */
const PLAIN_NAME = /^[a-z_]\w*(\.[a-z_]\w*)?$/i;

/** Returns the condition for a range of IDs. Any other name than a plain one is quoted as the standard says. */
export function rangeCondition({ first, before }: IdRange, column: string): string {
  const name = PLAIN_NAME.test(column) ? column : `"${column.replaceAll('"', '""')}"`;
  return `WHERE ${name} >= ${first} AND ${name} < ${before}`;
}
