import type { LeaseRequest } from '../../lease/lease-store.js';
import {
  type AsyncLeaseRegistry,
  type RegistryChanges,
  type ServerState,
  Unreadable,
  type WorkerRow,
} from '../protocol/lease-registry.js';
import { type RegistryHeader, type StoredRow, readWholeNumber } from '../registry-format.js';
import type { LeaseTableName } from './lease-tables.js';
import { OneServer } from '../../kit/sql/one-server.js';
import { isAsWritten, readHistory } from '../../kit/sql/history/server-history.js';
import { ConcurrentWriteError } from '../../kit/sql/errors.js';
import type { SqlPlace } from '../../kit/sql/tables/tables.js';
import type { SqlRow, Statements } from '../../kit/sql/statements.js';

/** The tables and the namespace of a store, and the dialect of their database. */
export interface RegistryPlace extends SqlPlace<LeaseTableName> {
  readonly namespace: string;
}

/** Worker IDs from `firstWorkerId` on. */
export type WorkerRange = Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>;

type Field = keyof RegistryHeader;

/** The history of a database that the operator vouches for. */
const ASSUMED_HISTORY = 'assumed';

const COLUMNS: Readonly<Record<Field, string>> = {
  layout: 'layout',
  historyId: 'history_id',
  grantsAfter: 'grants_after_ms',
  grantsAfterReason: 'grants_after_reason',
  window: 'longest_window_ms',
  maxSkew: 'longest_max_skew_ms',
  fresh: 'fresh_worker_id',
};
const NUMBERS: ReadonlySet<Field> = new Set<Field>(['grantsAfter', 'window', 'maxSkew', 'fresh']);
const FIELDS = Object.keys(COLUMNS) as Field[];

/** Reads and writes the data of one namespace in one transaction. */
export class SqlRegistry implements AsyncLeaseRegistry {
  private readonly tables: Readonly<Record<LeaseTableName, string>>;
  private readonly oneServer: OneServer;
  private nowMs = 0;

  constructor(
    private readonly statements: Statements,
    private readonly place: RegistryPlace,
  ) {
    this.tables = place.tables.quoted;
    this.oneServer = new OneServer(place.dialect);
  }

  /** Reads and locks the row of the namespace. Inserts it first if the namespace is new. */
  async header(): Promise<RegistryHeader> {
    const header = await this.lock();
    if (header) return header;
    const { dialect, namespace } = this.place;
    await this.statements.query(dialect.insertUnlessExists(this.tables.namespaces, ['namespace']), [
      namespace,
    ]);
    return (await this.lock()) ?? {};
  }

  /**
   * Waits for all other calls of the namespace, and blocks later ones until the transaction ends. Reads the row of the
   * namespace. If it does not exist, locks nothing and returns `undefined`.
   */
  lock(): Promise<RegistryHeader | undefined> {
    return this.storedHeader(this.place.dialect.lockRow);
  }

  /** Reads the row of the namespace without a lock; `undefined` if it does not exist. */
  look(): Promise<RegistryHeader | undefined> {
    return this.storedHeader('');
  }

  private async storedHeader(lockRow: string): Promise<RegistryHeader | undefined> {
    const { dialect, namespace, history } = this.place;
    const columns = FIELDS.map((field) => `${this.readable(field)} AS ${COLUMNS[field]}`).join(', ');
    // A new row is not signed yet.
    const isKept = history ? `written_by IS NULL OR ${isAsWritten(dialect)}` : '1 = 1';
    const [row] = await this.statements.query(
      `SELECT ${columns}, CASE WHEN ${isKept} THEN 0 ELSE 1 END AS is_restored, ${this.oneServer.column}` +
        ` FROM ${this.tables.namespaces} WHERE namespace = ?${lockRow}`,
      [namespace],
    );
    if (!row) return undefined;
    this.oneServer.locked(row);
    const stored = FIELDS.map((field) => [field, textOf(row[COLUMNS[field]])] as const);
    const header = Object.fromEntries(stored.filter(([, value]) => value !== undefined));
    return Number(row['is_restored']) === 1 ? { ...header, historyId: 'restored' } : header;
  }

  /** Reads the database's clock and history, after the wait for the lock, which may have been long. */
  async server(): Promise<ServerState> {
    const { dialect, history } = this.place;
    const [row] = await this.statements.query(
      `SELECT ${dialect.nowMs} AS now_ms, ${history?.identity ?? 'NULL'} AS history, ${this.oneServer.column}`,
    );
    this.oneServer.require(row);
    const historyId = history === undefined ? ASSUMED_HISTORY : readHistory(dialect, row?.['history']);
    this.nowMs = Number(row?.['now_ms']);
    return { nowMs: this.nowMs, historyId };
  }

  /** Reads the row of one worker ID; `undefined` if it was never used. @throws Unreadable */
  async row(workerId: number): Promise<StoredRow | undefined> {
    const [row] = await this.rows('AND worker_id = ?', [workerId]);
    return row;
  }

  /** Reads the worker ID and the stored text of all rows, in order of worker ID. */
  async storedRows(): Promise<(readonly [string, string])[]> {
    return (await this.textRows('ORDER BY worker_id', [])).map(storedIn);
  }

  /**
   * Reads the row whose window ends first. Uses the index, so the number of worker IDs doesn't matter. An unreadable row is
   * at one of the two ends of the index.
   */
  async earliest(range: WorkerRange): Promise<WorkerRow | undefined> {
    await this.outermost(range, 'DESC');
    return this.outermost(range, 'ASC');
  }

  async grantsOf(request: LeaseRequest): Promise<WorkerRow[]> {
    await this.earliest(request);
    const prefix = `${request.nonce}@`;
    const rows = await this.rows(
      'AND worker_id >= ? AND worker_id <= ? AND substr(fencing_token, 1, ?) = ?',
      [request.firstWorkerId, lastOf(request), [...prefix].length, prefix],
    );
    return rows.filter(({ fencingToken }) => fencingToken.startsWith(prefix));
  }

  async usedInARow(first: number, limit: number): Promise<number> {
    const rows = await this.statements.query(
      `SELECT worker_id FROM ${this.tables.leases} WHERE namespace = ? AND worker_id >= ? AND worker_id <= ?` +
        ' ORDER BY worker_id',
      [this.place.namespace, first, first + limit - 1],
    );
    const gap = rows.findIndex((row, index) => Number(row['worker_id']) !== first + index);
    return gap === -1 ? rows.length : gap;
  }

  /** If any worker ID has a row, the namespace is not new. */
  async isNew({ assumeNew }: LeaseRequest): Promise<boolean> {
    return assumeNew && (await this.rows('ORDER BY worker_id LIMIT 1', [])).length === 0;
  }

  /**
   * Compares the sum of all versions in the row of the namespace with that of the rows. A version only grows, so an older row,
   * or none, makes the sum smaller, and no other row can make up for it.
   */
  async hasAllRows(): Promise<boolean> {
    const { namespace } = this.place;
    const [row] = await this.statements.query(
      `SELECT CASE WHEN COALESCE(version_sum, 0) = (${this.sumOfVersions()}) THEN 1 ELSE 0 END AS is_complete` +
        ` FROM ${this.tables.namespaces} WHERE namespace = ?`,
      [namespace, namespace],
    );
    return Number(row?.['is_complete']) === 1;
  }

  async write(changes: RegistryChanges): Promise<void> {
    await this.writeHeader(changes);
    if (changes.row) await this.writeRow(changes.row, changes.before);
  }

  private sumOfVersions(): string {
    return `SELECT COALESCE(SUM(version), 0) FROM ${this.tables.leases} WHERE namespace = ?`;
  }

  /**
   * A version begins with the second of the first write, so a row that was removed comes back with a higher version. The sum
   * stays below 2^63 even with 2^31 worker IDs.
   */
  private get firstVersion(): number {
    return Math.floor(this.nowMs / 1000);
  }

  /** Adds the row that is written next to the sum of versions. When a history begins, the rows that are there count. */
  private async writeHeader({ header, row, before }: RegistryChanges): Promise<void> {
    const { namespace } = this.place;
    const begins = header.has('historyId');
    const sum = begins ? `(${this.sumOfVersions()})` : 'COALESCE(version_sum, 0)';
    const added = before ? 1 : this.firstVersion;
    const assignments = [
      ...[...header.keys()].map((field) => `${COLUMNS[field]} = ?`),
      `version_sum = ${sum} + ${row ? added : 0}`,
      ...this.signature(begins),
    ];
    await this.statements.query(
      `UPDATE ${this.tables.namespaces} SET ${assignments.join(', ')} WHERE namespace = ?`,
      [...header.values(), ...(begins ? [namespace] : []), namespace],
    );
  }

  /** Until a history begins, a row that was restored stays recognizable. */
  private signature(begins: boolean): string[] {
    const { dialect } = this.place;
    if (!dialect.writer) return [];
    const { current } = dialect.writer;
    const own = `CASE WHEN ${isAsWritten(dialect)} THEN ${current} ELSE written_by END`;
    return [`written_by = ${begins ? current : own}`];
  }

  /**
   * Writes the row of one worker ID if it is still as it was read. Does not rely on the lock: if a table or a cluster does
   * not lock, two grants of one worker ID must not both succeed.
   *
   * @throws ConcurrentWriteError, or the database's error for a key that already exists
   */
  private async writeRow(row: WorkerRow, before: StoredRow | undefined): Promise<void> {
    const { leases } = this.tables;
    const { namespace } = this.place;
    const { workerId, reservedUntilMs, fencingToken } = row;
    if (!before) {
      await this.statements.write(
        `INSERT INTO ${leases} (namespace, worker_id, reserved_until_ms, fencing_token, version)` +
          ' VALUES (?, ?, ?, ?, ?)',
        [namespace, workerId, reservedUntilMs, fencingToken, this.firstVersion],
      );
      return;
    }
    const written = await this.statements.write(
      `UPDATE ${leases} SET reserved_until_ms = ?, fencing_token = ?, version = version + 1` +
        ' WHERE namespace = ? AND worker_id = ? AND reserved_until_ms = ? AND fencing_token = ?',
      [reservedUntilMs, fencingToken, namespace, workerId, before.reservedUntilMs, before.fencingToken],
    );
    if (written !== 1) throw new ConcurrentWriteError(`worker ID ${workerId}`);
  }

  private async outermost(range: WorkerRange, order: 'ASC' | 'DESC'): Promise<WorkerRow | undefined> {
    // `+ 0` stops the planner from using the primary key, with which it would have to sort all rows.
    const [row] = await this.rows(
      'AND worker_id + 0 >= ? AND worker_id + 0 <= ?' +
        ` ORDER BY reserved_until_ms ${order}, worker_id ${order} LIMIT 1`,
      [range.firstWorkerId, lastOf(range)],
    );
    return row;
  }

  private async rows(rest: string, parameters: readonly (string | number)[]): Promise<WorkerRow[]> {
    return (await this.textRows(rest, parameters)).map(readRow);
  }

  private textRows(rest: string, parameters: readonly (string | number)[]): Promise<readonly SqlRow[]> {
    const { dialect, namespace } = this.place;
    return this.statements.query(
      `SELECT worker_id, CAST(reserved_until_ms AS ${dialect.textType}) AS reserved_text, fencing_token` +
        ` FROM ${this.tables.leases} WHERE namespace = ? ${rest}`,
      [namespace, ...parameters],
    );
  }

  private readable(field: Field): string {
    const column = COLUMNS[field];
    return NUMBERS.has(field) ? `CAST(${column} AS ${this.place.dialect.textType})` : column;
  }
}

/** Returns the last worker ID, because the number after it may not fit the column's type in PostgreSQL. */
function lastOf({ firstWorkerId, workerCount }: WorkerRange): number {
  return firstWorkerId + workerCount - 1;
}

function readRow(row: SqlRow): WorkerRow {
  const [reserved = '', fencingToken = ''] = [textOf(row['reserved_text']), textOf(row['fencing_token'])];
  const reservedUntilMs = readWholeNumber(reserved);
  if (reservedUntilMs === undefined) throw new Unreadable(...storedIn(row));
  return { workerId: Number(row['worker_id']), reservedUntilMs, fencingToken };
}

/** Returns the worker ID of a row, and its state as every registry stores it. */
function storedIn(row: SqlRow): readonly [string, string] {
  return [
    String(row['worker_id']),
    `${textOf(row['reserved_text']) ?? ''} ${textOf(row['fencing_token']) ?? ''}`,
  ];
}

/** Returns a value as text: a text column of SQLite can hold anything. */
function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
