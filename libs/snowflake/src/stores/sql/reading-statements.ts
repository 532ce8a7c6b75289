import type { LeaseRequest } from '../../lease/lease-store.js';
import { isAsWritten } from '../../kit/sql/history/server-history.js';
import type { SqlRow, SqlValue, Statement } from '../../kit/sql/statements.js';
import { Unreadable, type WorkerRow } from '../protocol/lease-registry.js';
import { readWholeNumber, type RegistryHeader } from '../registry-format.js';
import { searchLength } from '../search-limit.js';
import { ID_DEFAULT } from './id-default.js';
import { HEADER_COLUMNS, type HeaderField, type RegistryPlace } from './lease-tables.js';

/** Worker IDs from `firstWorkerId` on. */
export type WorkerRange = Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>;

const FIELDS = Object.keys(HEADER_COLUMNS) as HeaderField[];
const NUMBERS: ReadonlySet<HeaderField> = new Set<HeaderField>(['grantsAfter', 'window', 'maxSkew', 'fresh']);

/**
 * Reads the row of the namespace.
 *
 * @param lockRow ends the statement if it locks the row
 * @param column one more to select
 */
export function headerStatement(place: RegistryPlace, lockRow: string, column: string): Statement {
  const { dialect, namespace, history, tables } = place;
  const columns = FIELDS.map((field) => `${readable(field, place)} AS ${HEADER_COLUMNS[field]}`).join(', ');
  // A new row is not signed yet.
  const isKept = history ? `written_by IS NULL OR ${isAsWritten(dialect)}` : '1 = 1';
  const sql =
    `SELECT ${columns}, CASE WHEN ${isKept} THEN 0 ELSE 1 END AS is_restored, ${column}` +
    ` FROM ${tables.quoted.namespaces} WHERE namespace = ?${lockRow}`;
  return { sql, parameters: [namespace] };
}

/** Returns what {@link headerStatement} has read. */
export function readHeader(row: SqlRow): RegistryHeader {
  const stored = FIELDS.map((field) => [field, textOf(row[HEADER_COLUMNS[field]])] as const);
  const header: RegistryHeader = Object.fromEntries(stored.filter(([, value]) => value !== undefined));
  return Number(row['is_restored']) === 1 ? { ...header, historyId: 'restored' } : header;
}

/** Reads the clock and the history of the server. @param column one more to select */
export function serverStatement({ dialect, history }: RegistryPlace, column: string): Statement {
  const idDefaults = history && dialect.writableTables?.(ID_DEFAULT.schema, ID_DEFAULT.reservation);
  const columns = [
    `${dialect.nowMs} AS now_ms`,
    `${history?.identity ?? 'NULL'} AS history`,
    `${idDefaults ?? '0'} AS id_defaults`,
    column,
  ];
  return { sql: `SELECT ${columns.join(', ')}` };
}

/** Reads whether the sum of all versions in the row of the namespace is that of the rows. */
export function completenessStatement(place: RegistryPlace): Statement {
  const { namespace, tables } = place;
  const sql =
    `SELECT CASE WHEN COALESCE(version_sum, 0) = (${sumOfVersions(place)}) THEN 1 ELSE 0 END AS is_complete` +
    ` FROM ${tables.quoted.namespaces} WHERE namespace = ?`;
  return { sql, parameters: [namespace, namespace] };
}

/** Query: the sum of the versions of all rows. Its parameter is the namespace. */
export function sumOfVersions({ tables }: RegistryPlace): string {
  return `SELECT COALESCE(SUM(version), 0) FROM ${tables.quoted.leases} WHERE namespace = ?`;
}

/** Reads the worker IDs in use from the fresh one on: none, unless holders from a lost history have renewed theirs. */
export function usedStatement(
  { namespace, tables }: RegistryPlace,
  { firstWorkerId, workerCount }: WorkerRange,
): Statement {
  const { leases, namespaces } = tables.quoted;
  const sql =
    `SELECT worker_id FROM ${leases} WHERE namespace = ? AND worker_id >= ? AND worker_id <= ?` +
    ` AND worker_id >= COALESCE((SELECT fresh_worker_id FROM ${namespaces} WHERE namespace = ?), 0)` +
    ` ORDER BY worker_id LIMIT ${searchLength(workerCount)}`;
  return { sql, parameters: [namespace, firstWorkerId, lastOf({ firstWorkerId, workerCount }), namespace] };
}

/** Reads the row of one worker ID. */
export function rowStatement(place: RegistryPlace, workerId: number): Statement {
  return rowsStatement(place, 'AND worker_id = ?', [workerId]);
}

/** Reads the row whose window ends first, or last. */
export function outermostStatement(
  place: RegistryPlace,
  range: WorkerRange,
  order: 'ASC' | 'DESC',
): Statement {
  // `+ 0` stops the planner from using the primary key, with which it would have to sort all rows.
  const rest =
    'AND worker_id + 0 >= ? AND worker_id + 0 <= ?' +
    ` ORDER BY reserved_until_ms ${order}, worker_id ${order} LIMIT 1`;
  return rowsStatement(place, rest, [range.firstWorkerId, lastOf(range)]);
}

/** Reads the rows of worker IDs that meet a condition. */
export function rowsStatement(
  { dialect, namespace, tables }: RegistryPlace,
  rest: string,
  parameters: readonly SqlValue[],
): Statement {
  const sql =
    `SELECT worker_id, CAST(reserved_until_ms AS ${dialect.textType}) AS reserved_text, fencing_token` +
    ` FROM ${tables.quoted.leases} WHERE namespace = ? ${rest}`;
  return { sql, parameters: [namespace, ...parameters] };
}

/** Returns the last worker ID, because the number after it may not fit the column's type in PostgreSQL. */
export function lastOf({ firstWorkerId, workerCount }: WorkerRange): number {
  return firstWorkerId + workerCount - 1;
}

/** Returns what {@link rowsStatement} has read of one worker ID. @throws Unreadable */
export function readRow(row: SqlRow): WorkerRow {
  const [reserved = '', fencingToken = ''] = [textOf(row['reserved_text']), textOf(row['fencing_token'])];
  const reservedUntilMs = readWholeNumber(reserved);
  if (reservedUntilMs === undefined) throw new Unreadable(...storedIn(row));
  return { workerId: Number(row['worker_id']), reservedUntilMs, fencingToken };
}

/** Returns the worker ID of a row, and its state as every registry stores it. */
export function storedIn(row: SqlRow): readonly [string, string] {
  return [
    String(row['worker_id']),
    `${textOf(row['reserved_text']) ?? ''} ${textOf(row['fencing_token']) ?? ''}`,
  ];
}

function readable(field: HeaderField, { dialect }: RegistryPlace): string {
  const column = HEADER_COLUMNS[field];
  return NUMBERS.has(field) ? `CAST(${column} AS ${dialect.textType})` : column;
}

/** Returns a value as text: a text column of SQLite can hold anything. */
function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
