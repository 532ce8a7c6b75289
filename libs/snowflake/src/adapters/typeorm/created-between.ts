import { Raw, type FindOperator } from 'typeorm';
import { requireMethods } from '../../core/options/option-checks.js';
import type { IdDecoder } from '../../core/ids/decoder.js';
import type { Instant } from '../../core/layout/bit-layout-options.js';

/** Knows the bit layout of IDs: a `SnowflakeIdMaker`, or an `IdDecoder` in an app that generates no IDs. */
export type IdRangeReader = Pick<IdDecoder, 'idRange'>;

/**
 * Returns a find operator for the rows whose ID was generated in `[from, to)`, which includes `from` and excludes `to`. The query uses
 * the index of the ID and needs no column for the time.
 *
 * The time is that of the ID, exact to the tick and including drift. In a query builder, pass `ids.idRange(from, to)`
 * as parameters. Don't use it on a `varchar` column, which sorts IDs as text.
 *
 * @param ids the maker of these IDs, or an `IdDecoder` of their bit layout
 * @throws InvalidOptionError if `to` is before `from`, or an instant is after the end of the layout
 * @example
 * ```ts
 * const ordersOfThatDay = await orders.findBy({ id: createdBetween(ids, '2026-11-21', '2026-11-22') });
 * await orders.delete({ id: createdBetween(ids, 0, '2025-01-01') }); // everything from before 2025
 * ```
 */
export function createdBetween(ids: IdRangeReader, from: Instant, to: Instant): FindOperator<string> {
  requireMethods('ids', ids, ['idRange'], 'Pass a SnowflakeIdMaker or an IdDecoder.');
  const { first, before } = ids.idRange(from, to);
  // These are literals instead of parameters: compared with a computed ID, as in a view over MAX(id), SQLite sorts all numbers before
  // text.
  return Raw((id) => `(${id} >= ${first} AND ${id} < ${before})`);
}
