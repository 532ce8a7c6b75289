import { clientFor, type SqlClient } from './clients/sql-client.js';
import type { DatabaseOptions } from './database/database-options.js';
import type { SqlDialect } from './dialects/dialect.js';
import { type Query, type SqlResult, type Statement, type Statements, statementsOver } from './statements.js';

/** What a transaction may do. One that enters waits in line with others like it, before it locks what all transactions need. */
export type Access = 'read' | 'write' | 'enter';

/** How to make the store's own connection. */
export interface SessionSettings {
  readonly dialect: SqlDialect;
  readonly options: DatabaseOptions;
  readonly connectionName: string;
  readonly callTimeoutMs: number;
  /** How long the server may take until it greets, in milliseconds: `callTimeoutMs` unless it is set. */
  readonly connectTimeoutMs?: number;
}

/** A connection of the store's own. The store drops it after any failure except a conflict. */
export class SqlSession implements Statements {
  /** Private, so that printing the store does not show the password. */
  readonly #settings: SessionSettings;
  readonly #client: SqlClient;
  private isConnected = false;
  private hasEnded = false;
  /** Executes one statement, unless the session has ended. */
  readonly query: Query;
  /** Executes one statement, and returns how many rows it has written. */
  readonly write: Statements['write'];
  /** Executes statements one after the other, in one round trip if the database can. */
  readonly batch: Statements['batch'];
  private hasCommitted = false;
  private serverIsNearlyFull = false;

  /** Does not connect yet. */
  constructor(settings: SessionSettings) {
    this.#settings = settings;
    const { options, connectionName, callTimeoutMs, connectTimeoutMs = callTimeoutMs } = settings;
    this.#client = clientFor({ options, connectionName, connectTimeoutMs });
    const usable = (): SqlClient => {
      if (!this.isUsable) throw new Error('the connection was abandoned');
      return this.#client;
    };
    const statements = statementsOver(
      settings.dialect,
      (sql, parameters) => usable().query(sql, parameters),
      (sql) => usable().queryAll?.(sql),
    );
    ({ query: this.query, write: this.write, batch: this.batch } = statements);
  }

  /** Whether a transaction can begin, as far as the session knows. */
  get isUsable(): boolean {
    return this.isConnected && !this.hasEnded;
  }

  /** Whether the server had nearly no connection left when the latest transaction began. */
  get isScarce(): boolean {
    return this.serverIsNearlyFull;
  }

  /** Connects, once. The driver bounds the wait for the server's greeting, and `abandon` ends every later one. */
  async connect(): Promise<void> {
    const { dialect, callTimeoutMs } = this.#settings;
    try {
      await this.#client.connect();
      if (this.hasEnded) throw new Error('the connection was established too late');
      this.isConnected = true;
      await this.execute(dialect.prepare(callTimeoutMs));
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  async execute(statements: readonly string[]): Promise<void> {
    await this.batch(statements.map((sql) => ({ sql })));
  }

  /**
   * Begins a transaction.
   *
   * @param queueMs how long one that enters may wait in line
   */
  async begin(access: Access = 'write', queueMs = 0): Promise<void> {
    const { dialect, callTimeoutMs, connectionName } = this.#settings;
    if (access === 'read') return this.execute(dialect.beginReading(callTimeoutMs));
    const plain = dialect.begin(callTimeoutMs);
    const entering = access === 'enter' && dialect.enter?.(plain, connectionName, Math.ceil(queueMs));
    const begin = entering || plain;
    const { statements = [], isHigh = () => false } = dialect.connections ?? {};
    const results = await this.batch([...begin, ...statements].map((sql) => ({ sql })));
    this.serverIsNearlyFull = isHigh(results.slice(begin.length).map(({ rows }) => rows[0]));
  }

  /** Executes the last statements of the transaction, and commits it. */
  async commit(statements: readonly Statement[]): Promise<readonly SqlResult[]> {
    const results = await this.batch([...statements, { sql: 'COMMIT' }]);
    this.hasCommitted = true;
    return results;
  }

  /** Runs `work` in the transaction that has begun. Commits it, or rolls it back if `work` fails. */
  async finish<Reply>(work: () => Promise<Reply>): Promise<Reply> {
    this.hasCommitted = false;
    try {
      const reply = await work();
      if (!this.hasCommitted) await this.query('COMMIT');
      return reply;
    } catch (error) {
      await this.query('ROLLBACK').catch(() => this.abandon());
      throw error;
    }
  }

  /** Runs `work` in a transaction of its own. */
  async transact(work: () => Promise<void>): Promise<void> {
    await this.begin();
    await this.finish(work);
  }

  /** Executes the statements after a transaction. */
  async end(): Promise<void> {
    await this.execute(this.#settings.dialect.end);
  }

  /** Closes the connection, however long the server takes. Abandons a connection that is still being made. */
  async close(): Promise<void> {
    if (!this.isUsable) {
      this.abandon();
      return;
    }
    this.hasEnded = true;
    await this.#client.close();
  }

  /** Ends the connection immediately, whatever its state: a server that hangs does not close it. */
  abandon(): void {
    this.hasEnded = true;
    this.#client.destroy();
  }
}
