import { attemptsOf, grantOf, withoutCorrection } from '../../lease/fencing-token.js';
import type { LeaseClaim, LeaseRequest } from '../../lease/lease-store.js';
import type { OwnConnection } from '../../kit/sql/own-connection.js';
import { lastBatch, type SqlRow, type SqlValue, type Statement } from '../../kit/sql/statements.js';
import { leaseTransaction } from '../protocol/lease-transaction.js';
import { execute } from '../protocol/registry-calls.js';
import type { LeaseTableName } from './lease-tables.js';
import type { SqlRegistry } from './sql-registry.js';

/** The tables of the SQL default, which `nestjs-snowflake-cli sql default` creates next to its functions and sequences. */
export const ID_DEFAULT = {
  schema: 'snowflake',
  /** Has one row: which namespace the default belongs to, and which grant it uses. */
  reservation: 'id_reservation',
  /** An unlogged table with one row. The server empties it when it recovers from a crash, which may undo steps of the sequences. */
  uncrashed: 'id_uncrashed',
} as const;

const RESERVATION = `${ID_DEFAULT.schema}.${ID_DEFAULT.reservation}`;
const UNCRASHED = `${ID_DEFAULT.schema}.${ID_DEFAULT.uncrashed}`;

/** The reservation is renewed once less than this part of its window is left, by whichever process renews its own lease next. */
const DUE_BELOW = 2 / 3;

/** What the reservation of this database is. */
interface Reservation {
  readonly claim?: LeaseClaim;
  /** Timestamps up to this one are not the default's, or a crash may have undone what it used of them. */
  readonly fromMs: number;
  readonly isUncrashed: boolean;
  readonly isDue: boolean;
}

/**
 * Renews the reservation of `snowflake.id()`, for the database in which the leases are: the default is a holder like any process, except
 * that its memory is in the database, and that processes renew its lease. So the protocol decides, with the row of the worker ID as the
 * claim. A separate transaction does that after the process has renewed its own lease, which therefore doesn't depend on it.
 */
export class IdDefault {
  constructor(
    private readonly connection: OwnConnection<LeaseTableName, SqlRegistry>,
    private readonly tableName: string,
  ) {}

  /** @param request the one by which this process has just renewed its lease */
  async renew(request: LeaseRequest): Promise<void> {
    const { connection } = this;
    const reservation = await connection.transact(
      (registry) => this.find(registry, request, true),
      undefined,
      { access: 'read', isOneMessage: true },
    );
    if (reservation?.isDue)
      await connection.transact((registry) => this.reserve(registry, request), undefined, { access: 'keep' });
  }

  private async reserve(registry: SqlRegistry, request: LeaseRequest): Promise<void> {
    await registry.lock();
    const found = await this.find(registry, request, false);
    if (!found?.isDue) return;
    // The clock of the process is not the default's.
    const [latest = ''] = attemptsOf(request);
    const attempt = withoutCorrection(latest);
    const { claim } = found;
    const { statements, place } = registry;
    const nonce = `${attempt}:${ID_DEFAULT.schema}.id()`;
    const own = {
      nonce,
      attempts: [attempt],
      retry: false,
      preferLongestOffline: false,
      ignoreLoss: false,
      claim,
    };
    const reply = await execute(leaseTransaction({ ...request, ...own }), registry);
    if (reply.outcome !== 'kept' && reply.outcome !== 'new') return;
    if (reply.outcome === 'kept' && found.isUncrashed) return;
    const workerId = reply.outcome === 'new' ? reply.workerId : (claim?.workerId ?? 0);
    // A crash may have undone steps of the sequences, so what was reserved before counts as used.
    const fromMs = reply.outcome === 'new' ? reply.fromMs : Math.max(found.fromMs, claim?.untilMs ?? 0);
    await statements.batch([
      { sql: `DELETE FROM ${RESERVATION}` },
      {
        sql:
          `INSERT INTO ${RESERVATION} (namespace, registry, worker_id, fencing_token, from_ms, written_by)` +
          ` VALUES (?, ?, ?, ?, ?, ${place.dialect.writer?.current})`,
        parameters: [place.namespace, this.tableName, workerId, grantOf(reply.fencingToken), fromMs],
      },
      { sql: `DELETE FROM ${UNCRASHED}` },
      { sql: `INSERT INTO ${UNCRASHED} VALUES (true)` },
    ]);
  }

  /** Reads the reservation; `undefined` if the default belongs to another namespace. */
  private async find(
    { statements, place }: SqlRegistry,
    request: LeaseRequest,
    isLast: boolean,
  ): Promise<Reservation | undefined> {
    const { leases, namespaces } = place.tables.quoted;
    const statement: Statement = {
      sql:
        'SELECT r.worker_id, CAST(r.from_ms AS text) AS from_text, l.fencing_token,' +
        ' CAST(l.reserved_until_ms AS text) AS until_text, CAST(n.grants_after_ms AS text) AS grants_after_text,' +
        ` CASE WHEN r.written_by = r.${place.dialect.writer?.ofRow} THEN 1 ELSE 0 END AS is_own,` +
        ` (SELECT COUNT(*) FROM ${UNCRASHED}) AS uncrashed, ${place.dialect.nowMs} AS now_ms` +
        ` FROM ${RESERVATION} r LEFT JOIN ${namespaces} n ON n.namespace = r.namespace` +
        ` LEFT JOIN ${leases} l ON l.namespace = r.namespace AND l.worker_id = r.worker_id` +
        " AND split_part(l.fencing_token, '~', 1) = r.fencing_token WHERE r.namespace = ? AND r.registry = ?",
      parameters: [place.namespace, this.tableName] satisfies SqlValue[],
    };
    const send = isLast ? lastBatch(statements) : statements.batch;
    const [result] = await send([statement]);
    const rows = result?.rows ?? [];
    return rows.length === 0 ? undefined : reservationOf(rows, request);
  }
}

function reservationOf(rows: readonly SqlRow[], { windowMs }: LeaseRequest): Reservation {
  const [row = {}] = rows;
  const isUncrashed = Number(row['uncrashed']) === 1;
  // Rows of a dump, and a worker ID that another process has leased meanwhile, are no claim.
  const isOwn = rows.length === 1 && Number(row['is_own']) === 1 && row['until_text'] !== null;
  if (!isOwn) return { fromMs: 0, isUncrashed: false, isDue: true };
  const untilMs = Number(row['until_text']);
  const fromMs = Number(row['from_text']);
  // After a loss, the window begins far ahead of the clock, and is short at first.
  const lengthMs = untilMs - Math.max(fromMs, Number(row['grants_after_text']));
  const leftMs = untilMs - Number(row['now_ms']);
  return {
    claim: { workerId: Number(row['worker_id']), fencingToken: String(row['fencing_token']), untilMs },
    fromMs,
    isUncrashed,
    isDue: !isUncrashed || leftMs < windowMs * DUE_BELOW || lengthMs < windowMs * (1 - DUE_BELOW),
  };
}
