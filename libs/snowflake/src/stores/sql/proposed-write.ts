import { grantOf } from '../../lease/fencing-token.js';
import type { LeaseReply, LeaseRequest } from '../../lease/lease-store.js';
import type { WorkerRow } from '../protocol/lease-registry.js';
import type { RegistryHeader, StoredRow } from '../registry-format.js';
import type { RegistryPlace } from './lease-tables.js';
import { signature } from './writing-statements.js';
import { isAsWritten } from '../../kit/sql/history/server-history.js';
import type { SqlValue, Statement } from '../../kit/sql/statements.js';

/** What the protocol has decided by a reading without a lock. */
export interface Proposal {
  readonly request: LeaseRequest;
  /** The row of the namespace as it was read. */
  readonly header: RegistryHeader;
  readonly reply: Extract<LeaseReply, { outcome: 'new' | 'kept' }>;
  /** The row to write. */
  readonly row: WorkerRow;
  /** The row as it was read; absent for a worker ID that was never used. */
  readonly before?: StoredRow;
}

/** A part of a statement, and the values of its placeholders. */
type Part = readonly [sql: string, ...parameters: SqlValue[]];

/**
 * Checks all that the protocol's decision depends on, reads the clock, and writes, in one statement. It writes nothing if the protocol may
 * decide otherwise by now. A newcomer gets what the protocol would grant now: which worker ID that is can have changed since the reading.
 */
export function proposedWrite(place: RegistryPlace, proposal: Proposal): Statement {
  const moment: Part = [`WITH moment AS (SELECT ${place.dialect.nowMs} AS now_ms),`];
  const parts = [moment, ...partsOf(place, proposal)];
  return {
    sql: parts.map(([sql]) => sql).join(' '),
    parameters: parts.flatMap(([, ...parameters]) => parameters),
  };
}

function partsOf(place: RegistryPlace, proposal: Proposal): Part[] {
  if (proposal.reply.outcome === 'kept') return renewal(place, proposal);
  return proposal.before ? offlineGrant(place, proposal) : freshGrant(place, proposal);
}

/**
 * Grants the first fresh worker ID as `leaseTransaction` does. If a row has it already, because a lost history granted it, the message
 * fails.
 */
function freshGrant(place: RegistryPlace, { request, header, row }: Proposal): Part[] {
  const { namespaces, leases } = place.tables.quoted;
  const { firstWorkerId, workerCount, windowMs } = request;
  return [
    [
      `open AS (UPDATE ${namespaces} SET fresh_worker_id = GREATEST(fresh_worker_id, ?) + 1,` +
        ` version_sum = version_sum + (SELECT now_ms / 1000 FROM moment)${alsoSigns(place)} WHERE`,
      firstWorkerId,
    ],
    ...mayGrant(place, header),
    ['AND fresh_worker_id < ? RETURNING fresh_worker_id - 1 AS worker_id)', firstWorkerId + workerCount],
    [
      `INSERT INTO ${leases} (namespace, worker_id, reserved_until_ms, fencing_token, version)` +
        ' SELECT ?, worker_id, now_ms + ?, ?, now_ms / 1000 FROM open, moment' +
        ' RETURNING worker_id, reserved_until_ms AS until_ms, fencing_token',
      place.namespace,
      windowMs,
      row.fencingToken,
    ],
  ];
}

/** Grants the longest offline worker ID as `leaseTransaction` does, once all have been used. */
function offlineGrant(place: RegistryPlace, { request, header, row }: Proposal): Part[] {
  const { namespaces, leases } = place.tables.quoted;
  const { namespace } = place;
  const { firstWorkerId, workerCount, windowMs, nonce } = request;
  return [
    [
      `taken AS (UPDATE ${leases} SET reserved_until_ms = now_ms + ?,` +
        ' fencing_token = ? || GREATEST(reserved_until_ms, ?) || ?, version = version + 1 FROM moment' +
        ' WHERE namespace = ? AND worker_id =',
      windowMs,
      `${nonce}@`,
      Number(header.grantsAfter),
      row.fencingToken.slice(grantOf(row.fencingToken).length),
      namespace,
    ],
    [
      // `+ 0` as in all searches by the end of the window.
      `(SELECT worker_id FROM ${leases} WHERE namespace = ? AND worker_id + 0 >= ? AND worker_id + 0 <= ?` +
        ' ORDER BY reserved_until_ms, worker_id LIMIT 1)',
      namespace,
      firstWorkerId,
      firstWorkerId + workerCount - 1,
    ],
    [
      `AND reserved_until_ms >= 0 AND reserved_until_ms < now_ms AND EXISTS (SELECT 1 FROM ${namespaces} WHERE`,
    ],
    ...mayGrant(place, header),
    ['AND fresh_worker_id = ?) RETURNING worker_id, reserved_until_ms, fencing_token)', Number(header.fresh)],
    [
      `UPDATE ${namespaces} SET version_sum = version_sum + 1${alsoSigns(place)} FROM taken WHERE namespace = ?` +
        ' RETURNING taken.worker_id, taken.reserved_until_ms AS until_ms, taken.fencing_token',
      namespace,
    ],
  ];
}

/**
 * Renews a lease that no clock has passed, as `leaseTransaction` does: its end is at least maxSkew ahead when the row is written, too. What
 * the rows of other worker IDs show doesn't matter then.
 */
function renewal(place: RegistryPlace, { request, header, row, before }: Proposal): Part[] {
  const { namespaces, leases } = place.tables.quoted;
  const { namespace } = place;
  const reachMs = Math.max(before?.reservedUntilMs ?? 0, request.claim?.untilMs ?? 0);
  return [
    [
      `kept AS (UPDATE ${leases} SET reserved_until_ms = ?, fencing_token = ?, version = version + 1 FROM moment` +
        ' WHERE namespace = ? AND worker_id = ? AND reserved_until_ms = ? AND fencing_token = ?',
      row.reservedUntilMs,
      row.fencingToken,
      namespace,
      row.workerId,
      before?.reservedUntilMs ?? null,
      before?.fencingToken ?? null,
    ],
    [
      `AND now_ms <= ? AND EXISTS (SELECT 1 FROM ${namespaces} WHERE`,
      reachMs - Math.max(Number(header.maxSkew), request.maxSkewMs),
    ],
    ...isSameHistory(place, header),
    [') RETURNING worker_id)'],
    [
      `UPDATE ${namespaces} SET version_sum = version_sum + 1${alsoSigns(place)} FROM kept WHERE namespace = ?` +
        ' RETURNING kept.worker_id',
      namespace,
    ],
  ];
}

/** Condition: the namespace and the history of its server are as the protocol's decision needs them. */
function isSameHistory({ dialect, history, namespace }: RegistryPlace, header: RegistryHeader): Part[] {
  const { layout = '', historyId = '', grantsAfter, window, maxSkew } = header;
  const isOwn = history ? ` AND history_id = ${history.identity} AND ${isAsWritten(dialect)}` : '';
  return [
    [`namespace = ? AND layout = ? AND history_id = ?${isOwn}`, namespace, layout, historyId],
    ['AND grants_after_ms = ?', Number(grantsAfter)],
    ['AND longest_window_ms = ? AND longest_max_skew_ms = ?', Number(window), Number(maxSkew)],
  ];
}

/** Condition: besides, the store may grant, and no row was restored or removed. */
function mayGrant(place: RegistryPlace, header: RegistryHeader): Part[] {
  const { tables, namespace } = place;
  return [
    ...isSameHistory(place, header),
    ['AND grants_after_ms < (SELECT now_ms FROM moment)'],
    [
      `AND version_sum = (SELECT COALESCE(SUM(version), 0) FROM ${tables.quoted.leases} WHERE namespace = ?)`,
      namespace,
    ],
  ];
}

/** With a history, {@link isSameHistory} has shown that this library wrote the row, so it stays that. */
function alsoSigns(place: RegistryPlace): string {
  const [assignment] = place.history ? signature(place, true) : [];
  return assignment === undefined ? '' : `, ${assignment}`;
}
