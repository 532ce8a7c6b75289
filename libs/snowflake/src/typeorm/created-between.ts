import { FindOperator, Raw, type ValueTransformer } from 'typeorm';
import type { IdRange, Instant } from '../core/index.js';
import { idLiteral } from './id-literals.js';
import { missingReader, readerOf, textColumn, type IdReader } from './known-layouts.js';
import { GeneratedIdTransformer, SnowflakeIdTransformer } from './snowflake-id-transformer.js';

/**
 * For find options: the rows whose ID was made in `[from, to)`. `from` belongs to the range, `to` does not. Only the
 * index of the ID is needed, and no column for the time.
 *
 * ```ts
 * orders.findBy({ id: createdBetween(yesterday, today) });
 * orders.delete({ id: createdBetween(0, lastYear) });
 * ```
 *
 * The bit layout is that of the column's generator. Pass `ids` (the SnowflakeIdMaker, or an `IdDecoder`) where that is
 * not known: for a `@SnowflakeColumn()`, which holds IDs that some other column's generator made; in a process to which
 * none was attached; where generators with different layouts have the same name; in query builders, updates and deletes
 * of TypeORM 0.3, which do not tell the column. For a query builder with joins there is {@link idCreatedBetween}.
 *
 * The time is that at which the ID was made, to the tick. An ID that runs ahead of the clock (drift) counts by what
 * it says.
 *
 * @throws InvalidOptionError with the query: when `to` is before `from`, an instant lies beyond the end of the layout,
 * the layout is not known, or the column is a `varchar`, which sorts IDs as text
 */
export function createdBetween(from: Instant, to: Instant, ids?: IdReader): FindOperator<string> {
  return new CreatedBetween(from, to, ids);
}

/**
 * What `And(MoreThanOrEqual(first), LessThan(before))` would be, once TypeORM has told the column, but with the bounds
 * in the text: see {@link idLiteral}.
 */
class CreatedBetween extends FindOperator<string> {
  private range: IdRange | undefined;

  constructor(
    private readonly from: Instant,
    private readonly to: Instant,
    private readonly ids?: IdReader,
  ) {
    super('and', '', true, true);
    this.range = ids?.idRange(from, to);
  }

  /** TypeORM hands over the column's transformer before it asks for the value. */
  override transformValue(transformer: ValueTransformer | ValueTransformer[]): void {
    const mark = [transformer].flat().find((each) => each instanceof SnowflakeIdTransformer);
    if (mark === undefined) return;
    const generated = mark instanceof GeneratedIdTransformer ? mark : undefined;
    if (mark.columnType !== 'bigint') throw textColumn(generated?.column ?? 'The column', mark.columnType);
    if (this.ids !== undefined) return;
    // Forgotten first: the same operator may stand for two columns.
    this.range = undefined;
    if (generated !== undefined) this.range = readerOf(generated.generator).idRange(this.from, this.to);
  }

  override get value(): string {
    if (this.range === undefined)
      throw missingReader('the column has no generator that would tell the layout');
    const first = idLiteral(this.range.first);
    const before = idLiteral(this.range.before);
    // TypeORM types the value of an operator by the column; that of an And is a list of operators.
    const bounds: unknown = [Raw((alias) => `${alias} >= ${first}`), Raw((alias) => `${alias} < ${before}`)];
    return bounds as string;
  }
}
