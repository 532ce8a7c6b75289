import { fromOfFencingToken } from '../../lease/fencing-token.js';
import type { LeaseReply, ReleaseRequest } from '../../lease/lease-store.js';
import { releasedRow } from '../protocol/lease-transaction.js';
import type { RegistryPlace } from './lease-tables.js';
import { type Proposal, proposedWrite } from './proposed-write.js';
import { headerUpdate, rowUpdate, writtenCheck } from './writing-statements.js';
import { means } from '../../kit/sql/errors.js';
import { lastBatch, type SqlRow, type Statement, type Statements } from '../../kit/sql/statements.js';

/**
 * Writes what was proposed, in one message. Returns `undefined`, and changes nothing, if the protocol may decide otherwise by now.
 *
 * The first statement takes the lock that all calls of the namespace take, and {@link proposedWrite} follows it. So nobody holds the lock
 * while the network or a process takes its time. For databases that {@link SqlDialect.returnsFromWrites}.
 */
export async function writeAtOnce(
  statements: Statements,
  place: RegistryPlace,
  proposal: Proposal,
): Promise<LeaseReply | undefined> {
  try {
    const results = await lastBatch(statements)([lock(place), proposedWrite(place, proposal)]);
    const row = results[1]?.rows[0];
    return row && replyOf(row, proposal);
  } catch (error) {
    // A holder of a lost history has written the row of a worker ID that counts as fresh.
    if (means(error, 'sameRow')) return undefined;
    throw error;
  }
}

/**
 * Releases a worker ID in one message, if its row shows the fencing token. Returns whether it has: if not, another holder has the worker
 * ID, or its row can't be read, or the database can't do this in one message. A release depends on nothing else, so nothing is read before.
 * When an app stops, many processes release at once, and each waits for the lock that the others hold.
 */
export async function releaseAtOnce(
  statements: Statements,
  place: RegistryPlace,
  request: ReleaseRequest,
): Promise<boolean> {
  const row = releasedRow(request);
  const { fencingToken } = request;
  const check = writtenCheck(place, row.workerId);
  if (!check || !statements.commit || fencingToken === '') return false;
  // What the row shows doesn't matter for the row of the namespace, to which every write counts 1.
  const changes = { header: new Map(), row, before: row };
  // Not every database undoes the statements before one that fails, so nothing is written before the check.
  const writes = [rowUpdate(place, row, { fencingToken }), check, headerUpdate(place, changes, 0)];
  try {
    await statements.commit([lock(place), ...writes]);
    return true;
  } catch (error) {
    if (means(error, 'unwritten')) return false;
    throw error;
  }
}

function lock({ tables, dialect, namespace }: RegistryPlace): Statement {
  const sql = `SELECT 1 FROM ${tables.quoted.namespaces} WHERE namespace = ?${dialect.lockRow}`;
  return { sql, parameters: [namespace] };
}

function replyOf(written: SqlRow, { request, reply }: Proposal): LeaseReply {
  if (reply.outcome === 'kept') return reply;
  const fencingToken = String(written['fencing_token']);
  const untilMs = Number(written['until_ms']);
  return {
    outcome: 'new',
    workerId: Number(written['worker_id']),
    fencingToken,
    fromMs: fromOfFencingToken(fencingToken) ?? 0,
    untilMs,
    storeNowMs: untilMs - request.windowMs,
  };
}
