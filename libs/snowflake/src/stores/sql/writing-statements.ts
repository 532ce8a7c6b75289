import { isAsWritten } from '../../kit/sql/history/server-history.js';
import type { Statement } from '../../kit/sql/statements.js';
import type { RegistryChanges, WorkerRow } from '../protocol/lease-registry.js';
import type { StoredRow } from '../registry-format.js';
import { HEADER_COLUMNS, type RegistryPlace } from './lease-tables.js';
import { sumOfVersions } from './reading-statements.js';

/**
 * Writes the changes of the row of the namespace. Adds the row that is written next to the sum of versions. When a history begins, the
 * rows that are there count.
 */
export function headerUpdate(
  place: RegistryPlace,
  { header, row, before }: RegistryChanges,
  nowMs: number,
): Statement {
  const { namespace, tables } = place;
  const begins = header.has('historyId');
  const sum = begins ? `(${sumOfVersions(place)})` : 'COALESCE(version_sum, 0)';
  const added = before ? 1 : firstVersion(nowMs);
  const assignments = [
    ...[...header.keys()].map((field) => `${HEADER_COLUMNS[field]} = ?`),
    `version_sum = ${sum} + ${row ? added : 0}`,
    ...signature(place, begins),
  ];
  return {
    sql: `UPDATE ${tables.quoted.namespaces} SET ${assignments.join(', ')} WHERE namespace = ?`,
    parameters: [...header.values(), ...(begins ? [namespace] : []), namespace],
  };
}

/**
 * Returns the assignment that marks the row of the namespace as written by this transaction. A row that was restored stays recognizable
 * until a history begins.
 *
 * @param isOwn whether this library has written the row, or a history begins; otherwise the statement looks
 */
export function signature({ dialect }: RegistryPlace, isOwn: boolean): string[] {
  if (!dialect.writer) return [];
  const { current } = dialect.writer;
  const kept = `CASE WHEN ${isAsWritten(dialect)} THEN ${current} ELSE written_by END`;
  return [`written_by = ${isOwn ? current : kept}`];
}

/** Adds the row of a worker ID that has none. */
export function rowInsert({ namespace, tables }: RegistryPlace, row: WorkerRow, nowMs: number): Statement {
  const { workerId, reservedUntilMs, fencingToken } = row;
  const columns = 'namespace, worker_id, reserved_until_ms, fencing_token, version';
  return {
    sql: `INSERT INTO ${tables.quoted.leases} (${columns}) VALUES (?, ?, ?, ?, ?)`,
    parameters: [namespace, workerId, reservedUntilMs, fencingToken, firstVersion(nowMs)],
  };
}

/**
 * Changes the row of a worker ID, if it is as it was read.
 *
 * @param before without an end, any one that can be read
 */
export function rowUpdate(
  { namespace, tables }: RegistryPlace,
  { workerId, reservedUntilMs, fencingToken }: WorkerRow,
  before: Pick<StoredRow, 'fencingToken'> & Partial<StoredRow>,
): Statement {
  const isUnchanged =
    before.reservedUntilMs === undefined ? 'reserved_until_ms >= 0' : 'reserved_until_ms = ?';
  const ends = before.reservedUntilMs === undefined ? [] : [before.reservedUntilMs];
  return {
    sql:
      `UPDATE ${tables.quoted.leases} SET reserved_until_ms = ?, fencing_token = ?, version = version + 1` +
      ` WHERE namespace = ? AND worker_id = ? AND ${isUnchanged} AND fencing_token = ?`,
    parameters: [reservedUntilMs, fencingToken, namespace, workerId, ...ends, before.fencingToken],
  };
}

/** Fails the message unless it has written the row, if the database can. */
export function writtenCheck(
  { dialect, namespace, tables }: RegistryPlace,
  workerId: number,
): Statement | undefined {
  const sql = dialect.requireWritten?.(tables.quoted.leases, 'namespace = ? AND worker_id = ?');
  return sql === undefined ? undefined : { sql, parameters: [namespace, workerId] };
}

/**
 * A version begins with the second of the first write, so a row that was removed comes back with a higher version. The sum
 * stays below 2^63 even with 2^31 worker IDs.
 */
function firstVersion(nowMs: number): number {
  return Math.floor(nowMs / 1000);
}
