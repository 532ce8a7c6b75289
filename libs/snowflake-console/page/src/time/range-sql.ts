import type { IdRange } from 'nestjs-snowflake/core';
import { isReserved } from './reserved-words.js';

/** `standard` is how PostgreSQL and SQLite quote names, too. `mysql` is how MariaDB does. */
export const DIALECTS = ['standard', 'mysql'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** A part of a name: quoted in one way or the other, or as it is up to the next dot. */
const SEGMENT = /"(?<standard>(?:[^"]|"")+)"|`(?<mysql>(?:[^`]|``)+)`|(?<bare>[^."`]+)/y;
const PLAIN = /^[a-z_][a-z0-9_]*$/;

/** Returns the condition for a range of IDs of a column, which can have its table and schema before it. */
export function rangeCondition(
  { first, before }: IdRange,
  column: string,
  dialect: Dialect = 'standard',
): string {
  const name = segmentsOf(column.trim())
    .map((segment) => quotedIfNeeded(segment, dialect))
    .join('.');
  return `WHERE ${name} >= ${first} AND ${name} < ${before}`;
}

/** Databases fold names without quotes to one case or compare them as they are, so only lower case is safe. */
function quotedIfNeeded(name: string, dialect: Dialect): string {
  if (PLAIN.test(name) && !isReserved(name)) return name;
  const mark = dialect === 'mysql' ? '`' : '"';
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
}

/** Returns the parts of a name without their quotes. A name that is none of parts between dots is one part. */
function segmentsOf(column: string): readonly string[] {
  const segments: string[] = [];
  SEGMENT.lastIndex = 0;
  for (;;) {
    const { standard, mysql, bare } = SEGMENT.exec(column)?.groups ?? {};
    const segment = standard?.replaceAll('""', '"') ?? mysql?.replaceAll('``', '`') ?? bare;
    if (segment === undefined) return [column];
    segments.push(segment);
    const end = SEGMENT.lastIndex;
    if (end === column.length) return segments;
    if (column[end] !== '.') return [column];
    SEGMENT.lastIndex = end + 1;
  }
}
