import type { Clock } from '../../core/clock/clock.js';
import { StoreUnavailableError } from '../../core/errors/lease-errors.js';
import type { SnowflakeError } from '../../core/errors/snowflake-error.js';
import { DEFAULT_CALL_TIMEOUT_MS, deadlineIn, settledWithin } from '../call-deadline.js';
import type { CallDeadline } from '../call-deadline.js';
import { Turns } from '../turns.js';
import { CallBound } from './call-bound.js';
import { KeepAlive } from '../keep-alive.js';
import { createMissingTables } from './tables/create-tables.js';
import { DatabaseFinder, type SqlDatabase } from './database/database-finder.js';
import { askHistory } from './history/server-history.js';
import type { SqlContent } from './content.js';
import type { HistoryExpressions } from './dialects/dialect.js';
import { SQL_MECHANISMS, type SqlMechanisms } from './dialects/dialects.js';
import { isConflict, means, toSqlStoreError } from './errors.js';
import { SqlSession, type TransactionKind } from './session.js';
import { requireDurableCommits } from './history/lossy-settings.js';
import {
  NO_LOST_WRITES,
  placeOf,
  requireLastingTables,
  requireLockableTables,
} from './tables/tables-on-server.js';
import type { SqlPlace } from './tables/tables.js';

const RETRY_MS = 5;
const LONGEST_RETRY_MS = 25;
const CLOSE_WITHIN_MS = 200;
/** Which part of the time of a call that may wait long one attempt to connect may use. */
const CONNECT_SHARE = 1 / 2;

/** The tables existed when the store connected, so the remedy for missing ones would mislead. */
const WERE_DROPPED =
  'The tables have been dropped since this process connected, for example by dropSchema: true of TypeORM or the schema tool of ' +
  'another ORM. Turn that off, or keep the tables in another schema or database.';

/** How a call runs. */
interface CallKind extends TransactionKind {
  /**
   * Whether a single message does all the work. What it reads can't become outdated before it writes, so it may take as long as a wait.
   *
   * @defaultValue false
   */
  readonly isOneMessage?: boolean;
}

/** The work of one transaction. */
export type Work<Registry, Reply> = (registry: Registry) => Promise<Reply>;

/**
 * The store's own connection to the database. Runs one transaction at a time, and bounds every call. A call that timed out
 * may still be waiting, so its session is dropped, and the call never gets another one.
 */
export class OwnConnection<Name extends string, Registry> {
  private readonly databases: DatabaseFinder<Name>;
  /** Is private, so that printing the store does not show the password. */
  readonly #content: SqlContent<Name, Registry>;
  /** The latest session, used by the present or the next call. */
  private session?: SqlSession;
  private readonly turns: Turns;
  private callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS;
  /** Whether `createTable` has been obeyed: a later session finds the tables, unless somebody drops them. */
  private hasCreatedTables = false;
  /** Whether a call has used the tables, so that they were dropped if they are missing now. */
  private hasUsedTables = false;
  /** How the server of the latest session shows its history. */
  private history?: HistoryExpressions;
  /** Where the latest session found the tables. */
  private place?: string;
  private isClosed = false;
  private readonly keepAlive = new KeepAlive();

  /**
   * @param describe returns the name of the store in errors, given the place of its tables once it is known
   */
  constructor(
    private readonly describe: (place?: string) => string,
    content: SqlContent<Name, Registry>,
    private readonly clock: Clock,
    mechanisms: SqlMechanisms = SQL_MECHANISMS,
  ) {
    this.#content = content;
    this.turns = new Turns(clock);
    this.databases = new DatabaseFinder<Name>(content, mechanisms);
  }

  get description(): string {
    return this.describe(this.place);
  }

  open(callTimeoutMs: number): void {
    this.callTimeoutMs = callTimeoutMs;
    this.isClosed = false;
    this.databases.forget();
    this.keepAlive.begin();
  }

  /**
   * Runs `work` in a transaction, and repeats it after a conflict. Settles by the deadline, which includes the time to
   * connect. A call that timed out may still have been committed.
   */
  async transact<Reply>(
    work: Work<Registry, Reply>,
    deadline: CallDeadline = deadlineIn(this.clock, this.callTimeoutMs),
    kind: CallKind = {},
  ): Promise<Reply> {
    if (this.isClosed) throw this.closedError();
    const bound = new CallBound(this.clock, deadline);
    bound.queue();
    try {
      // A call that times out in the queue never gets to the session, and the turn of one that hangs there ends with its bound.
      return await this.turns.inTurn(() => bound.race(this.untilNoConflict(work, bound, kind)), {
        priority: kind.access === 'enter' ? 'newcomer' : 'holder',
        withinMs: deadline.remainingMs(),
        expired: () => bound.lateError(),
      });
    } catch (error) {
      throw this.asStoreError(error);
    }
  }

  /** Runs `work` like {@link transact}, in a transaction that only reads and takes no lock. */
  read<Reply>(work: Work<Registry, Reply>): Promise<Reply> {
    return this.transact(work, undefined, { access: 'read' });
  }

  /** Drops the connection, whatever its state. The next call makes a new one. */
  reconnect(): void {
    this.session?.abandon();
    this.databases.forget();
  }

  /** Closes the connection within about 200 ms, even if the server hangs. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.session) await this.closeSession(this.session);
    this.keepAlive.end();
  }

  private asStoreError(error: unknown): SnowflakeError {
    const { tables, createTable } = this.#content;
    const { remedies } = tables;
    const toCreate = createTable ? 'Then restart this process, which creates them.' : remedies.missingTables;
    const missingTables = this.hasUsedTables ? `${WERE_DROPPED} ${toCreate}` : remedies.missingTables;
    const credentials = this.databases.credentials();
    return toSqlStoreError(this.description, error, { ...remedies, missingTables }, credentials);
  }

  private async closeSession(session: SqlSession): Promise<void> {
    await settledWithin(this.clock, CLOSE_WITHIN_MS, session.close(), () => session.abandon()).catch(() =>
      session.abandon(),
    );
  }

  private async untilNoConflict<Reply>(
    work: Work<Registry, Reply>,
    bound: CallBound,
    kind: CallKind,
  ): Promise<Reply> {
    for (let retryMs = RETRY_MS; ; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
      this.requireRunning(bound);
      try {
        return await this.attempt(work, bound, kind);
      } catch (error) {
        if (this.canCreateAgain(error)) this.forgetTables();
        else if (!isConflict(error)) throw error;
        bound.reasonToRetry = error;
      }
      await bound.pause(retryMs);
    }
  }

  /** Whether the tables were dropped since this store has created them, and it may do so again. */
  private canCreateAgain(error: unknown): boolean {
    const { createTable, survivesDroppedTables } = this.#content;
    const mayCreate = createTable && survivesDroppedTables === true;
    return this.hasCreatedTables && mayCreate && means(error, 'missingTable');
  }

  /** Makes the next attempt connect anew, and create the tables then. */
  private forgetTables(): void {
    this.hasCreatedTables = false;
    this.hasUsedTables = false;
    this.session?.abandon();
  }

  private async attempt<Reply>(
    work: Work<Registry, Reply>,
    bound: CallBound,
    kind: CallKind,
  ): Promise<Reply> {
    bound.queue();
    const { session } = this;
    if (session?.isUsable) {
      try {
        return await this.transactOn(session, work, bound, kind);
      } catch (error) {
        // A connection that has ended since the last call shows that by its first message.
        if (session.hasAnswered || isConflict(error) || means(error, 'lockTimeout')) throw error;
        session.abandon();
        this.requireRunning(bound);
      }
    }
    if (session) {
      this.session = undefined;
      // The app may give each connection another password.
      this.databases.forget();
    }
    const database = await this.databases.find();
    return this.transactOn(await this.connect(database, bound), work, bound, kind);
  }

  private async transactOn<Reply>(
    session: SqlSession,
    work: Work<Registry, Reply>,
    bound: CallBound,
    kind: CallKind,
  ): Promise<Reply> {
    bound.abandonIfLate(session);
    const database = await this.databases.find();
    const sentMs = this.clock.now();
    session.begin(kind, bound.leftMs, (waitedMs) => {
      const agoMs = this.clock.now() - sentMs - waitedMs;
      bound.begin(agoMs);
      if (kind.isOneMessage) bound.queue();
    });
    const registry = this.#content.registry(session, this.placeIn(database));
    const reply = await session.finish(() => work(registry));
    this.hasUsedTables = true;
    if (session.isScarce) this.leave(session);
    // If this fails, so does the next call, which then makes a new connection.
    else await session.end().catch(() => undefined);
    return reply;
  }

  /** Leaves the connection to others, who may have none: this store needs it again only for its next call. */
  private leave(session: SqlSession): void {
    this.session = undefined;
    void this.closeSession(session);
  }

  private async connect(database: SqlDatabase<Name>, bound: CallBound): Promise<SqlSession> {
    this.requireRunning(bound);
    const { callTimeoutMs } = this;
    // A server that hangs must not use up a long wait: the next attempt may reach the one that has taken over.
    const connectTimeoutMs = Math.max(callTimeoutMs, Math.floor(bound.leftMs * CONNECT_SHARE));
    const session = new SqlSession({ ...database.session, callTimeoutMs, connectTimeoutMs });
    // The session is set before it connects, so that a call that times out ends the attempt.
    this.session = session;
    bound.abandonIfLate(session);
    const connected = session.connect().then(() => this.examine(database, session));
    const late = (): Error => new Error(`no connection within ${connectTimeoutMs} ms`);
    try {
      await settledWithin(this.clock, connectTimeoutMs, connected, late);
      session.unref();
      return session;
    } catch (error) {
      session.abandon();
      throw error;
    }
  }

  /** Looks at the server of a new session: its settings, history and tables. Creates the tables if it may. */
  private async examine(database: SqlDatabase<Name>, session: SqlSession): Promise<void> {
    const { assumeNoLostWrites, createTable, trustsRestarts } = this.#content;
    const { tables, dialect } = database.place;
    if (assumeNoLostWrites) await requireDurableCommits(dialect, session, this.description);
    const isAsked = !assumeNoLostWrites && tables.history !== undefined;
    this.history = isAsked ? await dialect.findHistory(session.query, tables.history) : undefined;
    const place = this.placeIn(database);
    if (createTable && !this.hasCreatedTables)
      await createMissingTables(place, (work) => session.transact(() => work(session)), trustsRestarts);
    this.hasCreatedTables = true;
    await requireLockableTables(place, session, this.description);
    const lasting = assumeNoLostWrites ? NO_LOST_WRITES : undefined;
    await requireLastingTables(place, session, this.description, lasting);
    await askHistory(session, place);
    this.place = await placeOf(place, session);
  }

  private placeIn({ place }: SqlDatabase<Name>): SqlPlace<Name> {
    return { ...place, history: this.history };
  }

  /** Throws if the call is over. Called after every wait, because a late call must not touch another call's session. */
  private requireRunning(bound: CallBound): void {
    if (bound.isOver) throw new Error('the call timed out in the queue');
    if (this.isClosed) throw this.closedError();
  }

  private closedError(): StoreUnavailableError {
    return new StoreUnavailableError(
      `${this.description} is closed: the ID maker or the segment sources that used it have stopped.`,
    );
  }
}
