import type { KeyKind } from './key-kind.js';
import { CONTROL } from './key-kinds.js';
import type { Summary } from './samples.js';
import { OPERATIONS, type Operation, type StageResult } from './stage.js';
import type { SubscriberCost } from './subscriber-cost.js';
import type { TableSizes } from './table-sizes.js';

/** One operation on tables of about one size, with all keys. */
export interface OperationResult {
  readonly operation: Operation;
  /** Rows in the table before the first round and after the last one. */
  readonly rowsBefore: number;
  readonly rowsAfter: number;
  readonly byKey: Record<string, Summary>;
  /** Median of the ratios of `@SnowflakeId()` to the same key without this library, in the same round. */
  readonly ratioToControl: number;
}

/** The sizes of the tables of one stage, with all keys. */
export interface SizeResult {
  readonly tableRows: number;
  readonly bytesByKey: Record<string, TableSizes>;
}

export interface DatabaseResult {
  readonly database: string;
  readonly version: string;
  readonly settings: string;
  readonly operations: OperationResult[];
  /** Rows that the search by time found. */
  readonly rowsFound: { readonly tableRows: number; readonly byKey: Record<string, number> }[];
  readonly sizes: SizeResult[];
}

/** The content of docs/bench/db.json. */
export interface BenchResult {
  /** The key to which ratios relate. */
  readonly baseKey: string;
  readonly keys: Pick<KeyKind, 'name' | 'label' | 'says' | 'search'>[];
  readonly databases: DatabaseResult[];
  readonly subscriber: SubscriberCost;
  readonly issuedIds: { readonly total: number; readonly repeated: number };
  /** Problems of keys, such as a key of two rows or a gap in a series. */
  readonly faults: readonly string[];
}

/** Brings the stages of one database together. */
export function databaseResult(
  about: Pick<DatabaseResult, 'database' | 'version' | 'settings'>,
  kinds: readonly KeyKind[],
  stages: readonly StageResult[],
): DatabaseResult {
  const baseKey = kinds[0]?.name ?? '';
  const operations = OPERATIONS.flatMap((operation) =>
    stages.map(({ plan, samples, rowsAtEnd }) => ({
      operation,
      rowsBefore: operation === 'sum by time' ? rowsAtEnd : plan.tableRows,
      rowsAfter: rowsAtEnd,
      ratioToControl: samples[operation].summary('snowflake', CONTROL).ratio,
      byKey: Object.fromEntries(
        kinds.map(({ name }) => [name, samples[operation].summary(name, baseKey)] as const),
      ),
    })),
  );
  return {
    ...about,
    operations,
    rowsFound: stages.map(({ rowsAtEnd, rowsFound }) => ({ tableRows: rowsAtEnd, byKey: rowsFound })),
    sizes: stages.map(({ rowsAtEnd, sizes }) => ({ tableRows: rowsAtEnd, bytesByKey: sizes })),
  };
}
