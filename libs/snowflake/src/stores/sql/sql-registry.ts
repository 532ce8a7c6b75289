import type { LeaseRequest, RegistrySnapshot, ReleaseRequest } from '../../lease/lease-store.js';
import {
  type AsyncLeaseRegistry,
  type RegistryChanges,
  type ServerState,
  Unreadable,
  type UnusedWorkerId,
  type WorkerRow,
} from '../protocol/lease-registry.js';
import { type RegistryHeader, type StoredRow, readWholeNumber } from '../registry-format.js';
import type { LeaseTableName } from './lease-tables.js';
import { searchLength } from '../search-limit.js';
import { OneServer } from '../../kit/sql/one-server.js';
import { isAsWritten, readHistory } from '../../kit/sql/history/server-history.js';
import { ConcurrentWriteError, means } from '../../kit/sql/errors.js';
import type { SqlPlace } from '../../kit/sql/tables/tables.js';
import type { SqlRow, SqlValue, Statement, Statements } from '../../kit/sql/statements.js';

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
  /** The request that runs, whose questions are known before it asks them. */
  private request: LeaseRequest | undefined;
  /** What is read together with the header. */
  private expected: readonly Statement[] = [];
  /** Whether the transaction ends with its first write. */
  private writesLast = false;
  /** What was read together with the header, by statement. */
  private readonly answers = new Map<string, readonly SqlRow[]>();
  /** The next worker ID that has never been used, as the header has it. */
  private fresh: number | undefined;

  constructor(
    readonly statements: Statements,
    readonly place: RegistryPlace,
  ) {
    this.tables = place.tables.quoted;
    this.oneServer = new OneServer(place.dialect);
  }

  /**
   * Expects the questions of this request. They are read together with the header, so that the lock is held for as few round trips as
   * possible: in a crowd, each process waits for those of all others.
   */
  expect(request: LeaseRequest): this {
    this.request = request;
    this.expected = this.questionsOf(request);
    this.writesLast = true;
    return this;
  }

  /** Expects the questions of a release, like {@link expect}. */
  expectRelease({ workerId }: ReleaseRequest): this {
    this.expected = [this.rowStatementOf(workerId)];
    this.writesLast = true;
    return this;
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

  /**
   * Reads the row of the namespace without a lock; `undefined` if it does not exist.
   *
   * @param isLast whether nothing else is read but what is expected, so that the transaction ends with this message
   */
  look(isLast = false): Promise<RegistryHeader | undefined> {
    const { statements } = this;
    return this.storedHeader('', isLast && statements.commit ? statements.commit : statements.batch);
  }

  private async storedHeader(
    lockRow: string,
    execute = this.statements.batch,
  ): Promise<RegistryHeader | undefined> {
    const { expected } = this;
    const statements = [this.headerStatement(lockRow), ...expected];
    const [result, ...answers] = await execute.call(this.statements, statements);
    for (const [index, statement] of expected.entries())
      this.answers.set(keyOf(statement), answers[index]?.rows ?? []);
    const row = result?.rows[0];
    if (!row) {
      // There is no lock yet, so others may still change what was read.
      this.answers.clear();
      return undefined;
    }
    this.oneServer.locked(row);
    const stored = FIELDS.map((field) => [field, textOf(row[COLUMNS[field]])] as const);
    const header: RegistryHeader = Object.fromEntries(stored.filter(([, value]) => value !== undefined));
    this.fresh = header.fresh === undefined ? 0 : readWholeNumber(header.fresh);
    return Number(row['is_restored']) === 1 ? { ...header, historyId: 'restored' } : header;
  }

  private headerStatement(lockRow: string): Statement {
    const { dialect, namespace, history } = this.place;
    const columns = FIELDS.map((field) => `${this.readable(field)} AS ${COLUMNS[field]}`).join(', ');
    // A new row is not signed yet.
    const isKept = history ? `written_by IS NULL OR ${isAsWritten(dialect)}` : '1 = 1';
    const sql =
      `SELECT ${columns}, CASE WHEN ${isKept} THEN 0 ELSE 1 END AS is_restored, ${this.oneServer.column}` +
      ` FROM ${this.tables.namespaces} WHERE namespace = ?${lockRow}`;
    return { sql, parameters: [namespace] };
  }

  /** Returns what the request will ask, in all likelihood. The statements run after the lock. */
  private questionsOf(request: LeaseRequest): Statement[] {
    const { claim } = request;
    if (claim) return [this.serverStatement(), this.rowStatementOf(claim.workerId)];
    return [
      this.serverStatement(),
      this.completenessStatement(),
      this.usedStatement(request),
      this.outermostStatement(request, 'DESC'),
      this.outermostStatement(request, 'ASC'),
    ];
  }

  /** Reads what a statement returns, unless it was read with the header. */
  private async read(statement: Statement): Promise<readonly SqlRow[]> {
    const known = this.answers.get(keyOf(statement));
    return known ?? this.statements.query(statement.sql, statement.parameters);
  }

  /** Reads the database's clock and history, after the wait for the lock, which may have been long. */
  async server(): Promise<ServerState> {
    const { dialect, history } = this.place;
    const [row] = await this.read(this.serverStatement());
    this.oneServer.require(row);
    const historyId = history === undefined ? ASSUMED_HISTORY : readHistory(dialect, row?.['history']);
    this.nowMs = Number(row?.['now_ms']);
    return { nowMs: this.nowMs, historyId };
  }

  private serverStatement(): Statement {
    const { dialect, history } = this.place;
    const columns = [`${dialect.nowMs} AS now_ms`, `${history?.identity ?? 'NULL'} AS history`];
    return { sql: `SELECT ${columns.join(', ')}, ${this.oneServer.column}` };
  }

  /** Reads how many newcomers wait in line, if the database can tell. */
  async newcomers(): Promise<Pick<RegistrySnapshot, 'waiting' | 'longestWaitMs'>> {
    const sql = this.place.dialect.newcomersIn?.(connectionNameOf(this.place.namespace));
    if (sql === undefined) return {};
    const [row] = await this.statements.query(sql);
    const longest = row?.['longest_ms'];
    return {
      waiting: Number(row?.['waiting']),
      ...(longest === null || longest === undefined ? {} : { longestWaitMs: Number(longest) }),
    };
  }

  /** Reads the row of one worker ID; `undefined` if it was never used. @throws Unreadable */
  async row(workerId: number): Promise<StoredRow | undefined> {
    const [row] = await this.read(this.rowStatementOf(workerId));
    return row && readRow(row);
  }

  /** Reads the worker ID and the stored text of all rows, in order of worker ID. */
  async storedRows(): Promise<(readonly [string, string])[]> {
    return (await this.textRows('ORDER BY worker_id', [])).map(storedIn);
  }

  /**
   * Reads the row whose window ends first. Uses the index, so the number of worker IDs doesn't matter. An unreadable row is
   * at one of the two ends of the index.
   */
  async nextFree(range: WorkerRange): Promise<WorkerRow | undefined> {
    await this.outermost(range, 'DESC');
    return this.outermost(range, 'ASC');
  }

  async grantsOf(request: LeaseRequest): Promise<WorkerRow[]> {
    await this.nextFree(request);
    const prefix = `${request.nonce}@`;
    const rows = await this.rows(
      'AND worker_id >= ? AND worker_id <= ? AND substr(fencing_token, 1, ?) = ?',
      [request.firstWorkerId, lastOf(request), [...prefix].length, prefix],
    );
    return rows.filter(({ fencingToken }) => fencingToken.startsWith(prefix));
  }

  async findUnused(first: number, count: number): Promise<UnusedWorkerId | undefined> {
    const rows = this.knownFrom(first) ?? (await this.usedFrom(first, count));
    const used = rows.map((row) => Number(row['worker_id'])).filter((workerId) => workerId < first + count);
    const gap = used.findIndex((workerId, index) => workerId !== first + index);
    const workerId = first + (gap === -1 ? used.length : gap);
    return workerId < first + count ? { workerId, lowest: workerId } : undefined;
  }

  private usedFrom(first: number, limit: number): Promise<readonly SqlRow[]> {
    return this.statements.query(
      `SELECT worker_id FROM ${this.tables.leases} WHERE namespace = ? AND worker_id >= ? AND worker_id <= ?` +
        ' ORDER BY worker_id',
      [this.place.namespace, first, first + limit - 1],
    );
  }

  /** Returns what was read with the header, if that began where the search begins. */
  private knownFrom(first: number): readonly SqlRow[] | undefined {
    const { request, fresh } = this;
    if (!request || fresh === undefined || first !== Math.max(fresh, request.firstWorkerId)) return undefined;
    return this.answers.get(keyOf(this.usedStatement(request)));
  }

  /** The worker IDs in use from the fresh one on: none, unless holders from a lost history have renewed theirs. */
  private usedStatement({ firstWorkerId, workerCount }: WorkerRange): Statement {
    const { namespace } = this.place;
    const { leases, namespaces } = this.tables;
    const sql =
      `SELECT worker_id FROM ${leases} WHERE namespace = ? AND worker_id >= ? AND worker_id <= ?` +
      ` AND worker_id >= COALESCE((SELECT fresh_worker_id FROM ${namespaces} WHERE namespace = ?), 0)` +
      ` ORDER BY worker_id LIMIT ${searchLength(workerCount)}`;
    return { sql, parameters: [namespace, firstWorkerId, lastOf({ firstWorkerId, workerCount }), namespace] };
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
    const [row] = await this.read(this.completenessStatement());
    return Number(row?.['is_complete']) === 1;
  }

  /**
   * Writes the row of one worker ID if it is still as it was read. Does not rely on the lock: if a table or a cluster does
   * not lock, two grants of one worker ID must not both succeed.
   *
   * @throws ConcurrentWriteError, or the database's error for a key that already exists
   */
  async write(changes: RegistryChanges): Promise<void> {
    const { row, before } = changes;
    const header = this.headerUpdate(changes);
    if (!row) {
      await this.statements.batch([header]);
      return;
    }
    const writes = [header, this.rowStatement(row, before)];
    if (!before) {
      // A key that exists fails the message.
      await this.writeLast(writes);
      return;
    }
    const changed = new ConcurrentWriteError(`worker ID ${row.workerId}`);
    const check = this.checkOf(row.workerId);
    if (check) {
      await this.writeLast([...writes, check]).catch((error: unknown) => {
        throw means(error, 'unwritten') ? changed : error;
      });
      return;
    }
    const [, written] = await this.statements.batch(writes);
    if (written?.affected !== 1) throw changed;
  }

  /** Executes writes after which nothing has to be checked, and so commits them in the same message if they are the last. */
  private async writeLast(writes: readonly Statement[]): Promise<void> {
    const { statements, writesLast } = this;
    await (writesLast && statements.commit ? statements.commit(writes) : statements.batch(writes));
  }

  /** Fails the message unless it has written the row, if the database can. */
  private checkOf(workerId: number): Statement | undefined {
    const condition = 'namespace = ? AND worker_id = ?';
    const sql = this.place.dialect.requireWritten?.(this.tables.leases, condition);
    return sql === undefined ? undefined : { sql, parameters: [this.place.namespace, workerId] };
  }

  private completenessStatement(): Statement {
    const { namespace } = this.place;
    const sql =
      `SELECT CASE WHEN COALESCE(version_sum, 0) = (${this.sumOfVersions()}) THEN 1 ELSE 0 END AS is_complete` +
      ` FROM ${this.tables.namespaces} WHERE namespace = ?`;
    return { sql, parameters: [namespace, namespace] };
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
  private headerUpdate({ header, row, before }: RegistryChanges): Statement {
    const { namespace } = this.place;
    const begins = header.has('historyId');
    const sum = begins ? `(${this.sumOfVersions()})` : 'COALESCE(version_sum, 0)';
    const added = before ? 1 : this.firstVersion;
    const assignments = [
      ...[...header.keys()].map((field) => `${COLUMNS[field]} = ?`),
      `version_sum = ${sum} + ${row ? added : 0}`,
      ...this.signature(begins),
    ];
    return {
      sql: `UPDATE ${this.tables.namespaces} SET ${assignments.join(', ')} WHERE namespace = ?`,
      parameters: [...header.values(), ...(begins ? [namespace] : []), namespace],
    };
  }

  /** A row that was restored stays recognizable until a history begins. */
  private signature(begins: boolean): string[] {
    const { dialect } = this.place;
    if (!dialect.writer) return [];
    const { current } = dialect.writer;
    const own = `CASE WHEN ${isAsWritten(dialect)} THEN ${current} ELSE written_by END`;
    return [`written_by = ${begins ? current : own}`];
  }

  private rowStatement(row: WorkerRow, before: StoredRow | undefined): Statement {
    const { leases } = this.tables;
    const { namespace } = this.place;
    const { workerId, reservedUntilMs, fencingToken } = row;
    if (!before) {
      const columns = 'namespace, worker_id, reserved_until_ms, fencing_token, version';
      return {
        sql: `INSERT INTO ${leases} (${columns}) VALUES (?, ?, ?, ?, ?)`,
        parameters: [namespace, workerId, reservedUntilMs, fencingToken, this.firstVersion],
      };
    }
    return {
      sql:
        `UPDATE ${leases} SET reserved_until_ms = ?, fencing_token = ?, version = version + 1` +
        ' WHERE namespace = ? AND worker_id = ? AND reserved_until_ms = ? AND fencing_token = ?',
      parameters: [
        reservedUntilMs,
        fencingToken,
        namespace,
        workerId,
        before.reservedUntilMs,
        before.fencingToken,
      ],
    };
  }

  private async outermost(range: WorkerRange, order: 'ASC' | 'DESC'): Promise<WorkerRow | undefined> {
    const [row] = await this.read(this.outermostStatement(range, order));
    return row && readRow(row);
  }

  private outermostStatement(range: WorkerRange, order: 'ASC' | 'DESC'): Statement {
    // `+ 0` stops the planner from using the primary key, with which it would have to sort all rows.
    const rest =
      'AND worker_id + 0 >= ? AND worker_id + 0 <= ?' +
      ` ORDER BY reserved_until_ms ${order}, worker_id ${order} LIMIT 1`;
    return this.rowsStatement(rest, [range.firstWorkerId, lastOf(range)]);
  }

  private async rows(rest: string, parameters: readonly SqlValue[]): Promise<WorkerRow[]> {
    return (await this.textRows(rest, parameters)).map(readRow);
  }

  private textRows(rest: string, parameters: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.read(this.rowsStatement(rest, parameters));
  }

  private rowStatementOf(workerId: number): Statement {
    return this.rowsStatement('AND worker_id = ?', [workerId]);
  }

  private rowsStatement(rest: string, parameters: readonly SqlValue[]): Statement {
    const { dialect, namespace } = this.place;
    const sql =
      `SELECT worker_id, CAST(reserved_until_ms AS ${dialect.textType}) AS reserved_text, fencing_token` +
      ` FROM ${this.tables.leases} WHERE namespace = ? ${rest}`;
    return { sql, parameters: [namespace, ...parameters] };
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

/** Returns the name of the connections of a namespace, which is also that of their line. */
export function connectionNameOf(namespace: string): string {
  return `snowflake:${namespace}`;
}

function keyOf({ sql, parameters = [] }: Statement): string {
  return JSON.stringify([sql, parameters]);
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
