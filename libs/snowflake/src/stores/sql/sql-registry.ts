import type { LeaseRequest, RegistrySnapshot, ReleaseRequest } from '../../lease/lease-store.js';
import type {
  AsyncLeaseRegistry,
  GrantSearch,
  RegistryChanges,
  ServerState,
  UnusedWorkerId,
  WorkerRow,
} from '../protocol/lease-registry.js';
import { type RegistryHeader, type StoredRow, readWholeNumber } from '../registry-format.js';
import { connectionNameOf, type RegistryPlace } from './lease-tables.js';
import {
  completenessStatement,
  headerStatement,
  lastOf,
  outermostStatement,
  readHeader,
  readRow,
  rowsStatement,
  rowStatement,
  serverStatement,
  storedIn,
  usedStatement,
  type WorkerRange,
} from './reading-statements.js';
import { OneServer } from '../../kit/sql/one-server.js';
import { ReadAhead } from '../../kit/sql/read-ahead.js';
import { readHistory } from '../../kit/sql/history/server-history.js';
import { ConcurrentWriteError, means } from '../../kit/sql/errors.js';
import {
  lastBatch,
  type SqlRow,
  type SqlValue,
  type Statement,
  type Statements,
} from '../../kit/sql/statements.js';
import { headerUpdate, rowInsert, rowUpdate, writtenCheck } from './writing-statements.js';

/** The history of a database that the operator vouches for. */
const ASSUMED_HISTORY = 'assumed';

/** Reads and writes the data of one namespace in one transaction. */
export class SqlRegistry implements AsyncLeaseRegistry {
  private readonly oneServer: OneServer;
  private nowMs = 0;
  /** Whether this database generates IDs itself, and this user may renew the reservation for that. */
  hasIdDefault = false;
  /** The request that runs, whose questions are known before it asks them. */
  private request: LeaseRequest | undefined;
  /** What is read together with the header. */
  private expected: readonly Statement[] = [];
  /** Whether the transaction ends with its first write. */
  private endsWithWrite = false;
  private readonly ahead: ReadAhead;
  /** The next worker ID that has never been used, as the header has it. */
  private fresh: number | undefined;

  constructor(
    readonly statements: Statements,
    readonly place: RegistryPlace,
  ) {
    this.oneServer = new OneServer(place.dialect);
    this.ahead = new ReadAhead(statements);
  }

  /** Expects the questions of this request, which are read together with the header. */
  expect(request: LeaseRequest): this {
    this.request = request;
    this.expected = this.questionsOf(request);
    this.endsWithWrite = true;
    return this;
  }

  /** Expects the questions of a release, like {@link expect}. */
  expectRelease({ workerId }: ReleaseRequest): this {
    this.expected = [rowStatement(this.place, workerId)];
    this.endsWithWrite = true;
    return this;
  }

  /** Reads and locks the row of the namespace. Inserts it first if the namespace is new. */
  async header(): Promise<RegistryHeader> {
    const header = await this.lock();
    if (header) return header;
    const { dialect, namespace, tables } = this.place;
    await this.statements.query(dialect.insertUnlessExists(tables.quoted.namespaces, ['namespace']), [
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
  look(execute?: Statements['batch']): Promise<RegistryHeader | undefined> {
    return this.storedHeader('', execute);
  }

  private async storedHeader(
    lockRow: string,
    execute?: Statements['batch'],
  ): Promise<RegistryHeader | undefined> {
    const statement = headerStatement(this.place, lockRow, this.oneServer.column);
    const row = await this.ahead.first(statement, this.expected, execute);
    if (!row) return undefined;
    this.oneServer.note(row);
    const header = readHeader(row);
    this.fresh = header.fresh === undefined ? 0 : readWholeNumber(header.fresh);
    return header;
  }

  /** Returns what the request will ask, in all likelihood. The statements run after the lock. */
  private questionsOf(request: LeaseRequest): Statement[] {
    const { place } = this;
    const server = serverStatement(place, this.oneServer.column);
    if (request.claim) return [server, rowStatement(place, request.claim.workerId)];
    return [
      server,
      completenessStatement(place),
      usedStatement(place, request),
      outermostStatement(place, request, 'DESC'),
      outermostStatement(place, request, 'ASC'),
    ];
  }

  /** Reads the database's clock and history, after the wait for the lock, which may have been long. */
  async server(): Promise<ServerState> {
    const { dialect, history } = this.place;
    const [row] = await this.ahead.read(serverStatement(this.place, this.oneServer.column));
    this.oneServer.require(row);
    const historyId = history === undefined ? ASSUMED_HISTORY : readHistory(dialect, row?.['history']);
    this.nowMs = Number(row?.['now_ms']);
    this.hasIdDefault = Number(row?.['id_defaults']) === 1;
    return { nowMs: this.nowMs, historyId };
  }

  /** Reads how many newcomers wait in line, if the database can tell. */
  async newcomers(): Promise<Pick<RegistrySnapshot, 'waiting' | 'longestWaitMs'>> {
    const { newcomersIn, lacksLine } = this.place.dialect;
    const sql = newcomersIn?.(connectionNameOf(this.place.namespace));
    if (sql === undefined) return {};
    if (lacksLine?.isShown(await this.statements.query(lacksLine.statement))) return {};
    const [row] = await this.statements.query(sql);
    const longest = row?.['longest_ms'];
    return {
      waiting: Number(row?.['waiting']),
      ...(longest === null || longest === undefined ? {} : { longestWaitMs: Number(longest) }),
    };
  }

  /** Reads the row of one worker ID; `undefined` if it was never used. @throws Unreadable */
  async row(workerId: number): Promise<StoredRow | undefined> {
    const [row] = await this.ahead.read(rowStatement(this.place, workerId));
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

  private async outermost(range: WorkerRange, order: 'ASC' | 'DESC'): Promise<WorkerRow | undefined> {
    const [row] = await this.ahead.read(outermostStatement(this.place, range, order));
    return row && readRow(row);
  }

  async grantsOf(request: GrantSearch): Promise<WorkerRow[]> {
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
    const { namespace, tables } = this.place;
    return this.statements.query(
      `SELECT worker_id FROM ${tables.quoted.leases} WHERE namespace = ? AND worker_id >= ? AND worker_id <= ?` +
        ' ORDER BY worker_id',
      [namespace, first, first + limit - 1],
    );
  }

  /** Returns what was read with the header, if that began where the search begins. */
  private knownFrom(first: number): readonly SqlRow[] | undefined {
    const { request, fresh } = this;
    if (!request || fresh === undefined || first !== Math.max(fresh, request.firstWorkerId)) return undefined;
    return this.ahead.known(usedStatement(this.place, request));
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
    const [row] = await this.ahead.read(completenessStatement(this.place));
    return Number(row?.['is_complete']) === 1;
  }

  private async rows(rest: string, parameters: readonly SqlValue[]): Promise<WorkerRow[]> {
    return (await this.textRows(rest, parameters)).map(readRow);
  }

  private textRows(rest: string, parameters: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.ahead.read(rowsStatement(this.place, rest, parameters));
  }

  /**
   * Writes the row of one worker ID if it is still as it was read. Does not rely on the lock: if a table or a cluster does
   * not lock, two grants of one worker ID must not both succeed.
   *
   * @throws ConcurrentWriteError, or the database's error for a key that already exists
   */
  async write(changes: RegistryChanges): Promise<void> {
    const { place, nowMs } = this;
    const { row, before } = changes;
    const header = headerUpdate(place, changes, nowMs);
    if (!row) {
      await this.statements.batch([header]);
      return;
    }
    if (!before) {
      // A key that exists fails the message.
      await this.writeUnchecked([header, rowInsert(place, row, nowMs)]);
      return;
    }
    const writes = [header, rowUpdate(place, row, before)];
    const changed = new ConcurrentWriteError(`worker ID ${row.workerId}`);
    const check = writtenCheck(place, row.workerId);
    if (check) {
      await this.writeUnchecked([...writes, check]).catch((error: unknown) => {
        throw means(error, 'unwritten') ? changed : error;
      });
      return;
    }
    const [, written] = await this.statements.batch(writes);
    if (written?.affected !== 1) throw changed;
  }

  /** Executes writes after which nothing has to be checked, and so commits them in the same message if they are the last. */
  private async writeUnchecked(writes: readonly Statement[]): Promise<void> {
    const execute = this.endsWithWrite ? lastBatch(this.statements) : this.statements.batch;
    await execute(writes);
  }
}
