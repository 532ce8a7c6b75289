import { Raw, type FindOperator } from 'typeorm';
import { requireMethods, type IdDecoder, type Instant } from '../core/index.js';

/** Knows the bit layout of IDs: a `SnowflakeIdMaker`, or an `IdDecoder` where no IDs are made. */
export type IdRangeReader = Pick<IdDecoder, 'idRange'>;

/**
 * Returns a find operator for the rows whose ID was made in `[from, to)`: `from` is included, `to` is not. It uses the
 * index of the ID; no column for the time is needed.
 *
 * ```ts
 * orders.findBy({ id: createdBetween(this.ids, yesterday, today) });
 * orders.delete({ id: createdBetween(this.ids, 0, lastYear) });
 * ```
 *
 * The time is the timestamp of the ID, drift included, to the tick. In a query builder, pass `ids.idRange(from, to)` as
 * parameters. Don't use it on a `varchar` column, which sorts IDs as text.
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
