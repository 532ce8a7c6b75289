import type { Clock } from '../../core/clock.js';
import { StoreUnavailableError } from '../../core/errors.js';
import { CallBound } from './call-bound.js';
import { dialectOf, requireSharedDatabase } from './dialects.js';
import { KeepAlive } from './keep-alive.js';
import { createStatements, leaseTables, type LeaseTables, probeStatements } from './lease-tables.js';
import type { SqlDialect } from './sql-dialect.js';
import { isConflict, isCreatedTwice, isMissingTable, toStoreError } from './sql-errors.js';
import { dataSourceOptions, type SqlSettings } from './sql-options.js';
import { SqlRegistry } from './sql-registry.js';
import { SqlSession } from './sql-session.js';

const DEFAULT_CALL_TIMEOUT_MS = 2000;
const RETRY_MS = 5;
const LONGEST_RETRY_MS = 25;
const CLOSE_WITHIN_MS = 200;
const CREATE_ATTEMPTS = 5;

/** What is done within a transaction. */
export type Work<Reply> = (registry: SqlRegistry) => Promise<Reply>;

interface Database {
  readonly dialect: SqlDialect;
  readonly tables: LeaseTables;
  readonly connect: () => Promise<SqlSession>;
}

/** The store's own connection to the database: runs one transaction at a time, each call within a bound. */
export class SqlConnection {
  private database?: Database;
  private session?: SqlSession;
  private previous: Promise<unknown> = Promise.resolve();
  private callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS;
  private hasTables = false;
  private isClosed = false;
  private readonly keepAlive = new KeepAlive();

  /**
   * @param describedAs what to call the store in errors
   * @param alter changes the dialect; for tests that decide what time it is
   */
  constructor(
    private readonly describedAs: string,
    private readonly settings: SqlSettings,
    private readonly clock: Clock,
    private readonly alter: (dialect: SqlDialect) => SqlDialect,
  ) {}

  open(callTimeoutMs: number): void {
    this.callTimeoutMs = callTimeoutMs;
    this.isClosed = false;
    this.keepAlive.begin();
  }

  /**
   * Runs `work` in a transaction, again when another one got in its way. Settles within the bound of a call,
   * connection included; a call that timed out may still have been committed.
   */
  async run<Reply>(work: Work<Reply>): Promise<Reply> {
    if (this.isClosed) throw new StoreUnavailableError(`${this.describedAs} is closed`);
    const boundMs = this.callTimeoutMs;
    const bound = new CallBound(this.clock, boundMs);
    let conflict: unknown;
    const turn = this.previous.then(() => this.attempts(work, bound, (error) => (conflict = error)));
    const bounded = bound.race(turn, () => {
      this.reconnect();
      return conflict ?? new Error(`no answer within ${boundMs} ms`);
    });
    this.previous = bounded.catch(() => undefined);
    try {
      return await bounded;
    } catch (error) {
      throw toStoreError(this.describedAs, error);
    }
  }

  /** Drops the connection, whatever state it is in; the next call makes a new one. */
  reconnect(): void {
    const { session } = this;
    this.session = undefined;
    session?.abandon();
  }

  /** Closes the connection within about 200 ms, even if the server hangs. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { session } = this;
    this.session = undefined;
    const closing = new CallBound(this.clock, CLOSE_WITHIN_MS);
    const end = async (): Promise<void> => session?.close();
    await closing.race(end(), () => new Error('no goodbye')).catch(() => session?.abandon());
    this.keepAlive.end();
  }

  private async attempts<Reply>(
    work: Work<Reply>,
    bound: CallBound,
    noteConflict: (error: unknown) => void,
  ): Promise<Reply> {
    if (bound.isOver) throw new Error('its turn came too late');
    for (let retryMs = RETRY_MS; ; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
      try {
        return await this.attempt(work, bound);
      } catch (error) {
        if (!isConflict(error) || bound.isOver) throw error;
        noteConflict(error);
      }
      await bound.pause(retryMs);
    }
  }

  private async attempt<Reply>(work: Work<Reply>, bound: CallBound): Promise<Reply> {
    const database = (this.database ??= await this.findDatabase());
    const session = await this.begin(database, bound);
    const registry = new SqlRegistry(
      session.query,
      database.tables,
      database.dialect,
      this.settings.namespace,
    );
    const reply = await this.finish(session, work(registry));
    // Were it to fail, so would the next call, which makes a new connection then.
    await session.end().catch(() => undefined);
    return reply;
  }

  private async finish<Reply>(session: SqlSession, work: Promise<Reply>): Promise<Reply> {
    try {
      const reply = await work;
      await session.commit();
      return reply;
    } catch (error) {
      await session.rollback().catch(() => this.drop(session));
      throw error;
    }
  }

  /** A connection that broke since the last call is replaced: nothing was begun on it. */
  private async begin(database: Database, bound: CallBound): Promise<SqlSession> {
    const { session } = this;
    if (session) {
      try {
        await session.begin();
        return session;
      } catch (error) {
        if (isConflict(error)) throw error;
        this.drop(session);
      }
    }
    const made = await this.connect(database, bound);
    await made.begin();
    return made;
  }

  private async connect(database: Database, bound: CallBound): Promise<SqlSession> {
    const session = await database.connect();
    try {
      if (!this.hasTables && this.settings.createTable) await this.createTables(database, session);
      this.hasTables = true;
    } catch (error) {
      session.abandon();
      throw error;
    }
    if (bound.isOver || this.isClosed) {
      session.abandon();
      throw new Error('the connection came too late');
    }
    this.session = session;
    return session;
  }

  private drop(session: SqlSession): void {
    if (this.session === session) this.session = undefined;
    session.abandon();
  }

  private async findDatabase(): Promise<Database> {
    const { dataSource, namespace, tableName } = this.settings;
    const options = dataSourceOptions(typeof dataSource === 'function' ? await dataSource() : dataSource);
    requireSharedDatabase(options);
    const dialect = this.alter(dialectOf(options));
    const { callTimeoutMs } = this;
    const session = { dialect, options, connectionName: `snowflake:${namespace}`, callTimeoutMs };
    const connect = () => SqlSession.connect(session);
    return { dialect, connect, tables: leaseTables(tableName, options, dialect) };
  }

  /** To create a table takes a right even where it exists, so it is looked for first. */
  private async createTables({ tables, dialect }: Database, session: SqlSession): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await session.execute(probeStatements(tables));
        return;
      } catch (error) {
        if (!isMissingTable(error)) throw error;
      }
      try {
        await session.execute(createStatements(tables, dialect));
      } catch (error) {
        if (!isCreatedTwice(error) || attempt === CREATE_ATTEMPTS) throw error;
      }
    }
  }
}
