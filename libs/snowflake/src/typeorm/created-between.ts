import { Raw, type FindOperator } from 'typeorm';
import { requireMethods, type IdDecoder, type Instant } from '../core/index.js';

/** Knows the bit layout of IDs: a `SnowflakeIdMaker`, or an `IdDecoder` where no IDs are made. */
export type IdRangeReader = Pick<IdDecoder, 'idRange'>;

/**
 * For find options: the rows whose ID was made in `[from, to)`. `from` belongs to the range, `to` does not. Only the
 * index of the ID is needed, and no column for the time.
 *
 * ```ts
 * orders.findBy({ id: createdBetween(this.ids, yesterday, today) });
 * orders.delete({ id: createdBetween(this.ids, 0, lastYear) });
 * ```
 *
 * The time is that at which the ID was made, to the tick. An ID that runs ahead of the clock (drift) counts by what
 * it says. A query builder takes `ids.idRange(from, to)` as its parameters. Not for a `varchar` column, which sorts IDs
 * as text.
 *
 * @param ids the maker of these IDs, or an `IdDecoder` of their bit layout
 * @throws InvalidOptionError when `to` is before `from`, or an instant lies beyond the end of the layout
 */
export function createdBetween(ids: IdRangeReader, from: Instant, to: Instant): FindOperator<string> {
  requireMethods('ids', ids, ['idRange'], 'Pass a SnowflakeIdMaker or an IdDecoder.');
  const { first, before } = ids.idRange(from, to);
  // Literals and not parameters: next to a computed ID, as in a view over MAX(id), SQLite sorts all numbers before text.
  return Raw((id) => `(${id} >= ${first} AND ${id} < ${before})`);
}
