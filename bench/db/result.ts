import type { KeyKind } from './key-kind.js';
import { CONTROL } from './key-kinds.js';
import type { Summary } from './samples.js';
import { type Measured, OPERATIONS, type Operation, type Plan } from './stage.js';
import type { TableSizes } from './table-sizes.js';

/** One operation, with all keys. */
export interface OperationResult {
  readonly operation: Operation;
  /** Rows in the table before the first round and after the last one. */
  readonly rowsBefore: number;
  readonly rowsAfter: number;
  readonly byKey: Record<string, Summary>;
  /** Median of the ratios of `@SnowflakeId()` to the same key without this library, in the same round. */
  readonly ratioToControl: number;
}

/** The measurements in one database, with all keys. */
export interface DatabaseResult {
  readonly database: string;
  readonly version: string;
  readonly settings: string;
  readonly operations: OperationResult[];
  readonly sizes: { readonly tableRows: number; readonly bytesByKey: Record<string, TableSizes> };
}

/** The content of docs/bench/db.json. */
export interface BenchResult {
  /** The key to which ratios relate. */
  readonly baseKey: string;
  readonly keys: Pick<KeyKind, 'name' | 'label' | 'says'>[];
  readonly databases: DatabaseResult[];
  readonly issuedIds: { readonly total: number; readonly repeated: number };
  /** Problems of keys, such as a key of two rows or a gap in a series. */
  readonly faults: readonly string[];
}

export function databaseResult(
  about: Pick<DatabaseResult, 'database' | 'version' | 'settings'>,
  kinds: readonly KeyKind[],
  { tableRows }: Plan,
  { samples, sizes, rowsAtEnd }: Measured,
): DatabaseResult {
  const baseKey = kinds[0]?.name ?? '';
  const operations = OPERATIONS.map((operation) => ({
    operation,
    rowsBefore: tableRows,
    rowsAfter: rowsAtEnd,
    ratioToControl: samples[operation].summary('snowflake', CONTROL).ratio,
    byKey: Object.fromEntries(
      kinds.map(({ name }) => [name, samples[operation].summary(name, baseKey)] as const),
    ),
  }));
  return { ...about, operations, sizes: { tableRows: rowsAtEnd, bytesByKey: sizes } };
}
