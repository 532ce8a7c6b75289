import { clientFor, type SqlClient } from './clients/sql-client.js';
import type { DatabaseOptions } from './database/database-options.js';
import type { SqlDialect } from './dialects/dialect.js';
import { type Query, type Statements, statementsOver } from './statements.js';

/** What a transaction may do. */
export type Access = 'read' | 'write';

/** How to make the store's own connection. */
export interface SessionSettings {
  readonly dialect: SqlDialect;
  readonly options: DatabaseOptions;
  readonly connectionName: string;
  readonly callTimeoutMs: number;
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

  /** Does not connect yet. */
  constructor(settings: SessionSettings) {
    this.#settings = settings;
    const { options, connectionName, callTimeoutMs } = settings;
    this.#client = clientFor({ options, connectionName, connectTimeoutMs: callTimeoutMs });
    ({ query: this.query, write: this.write } = statementsOver(settings.dialect, (sql, parameters) => {
      if (!this.isUsable) throw new Error('the connection was abandoned');
      return this.#client.query(sql, parameters);
    }));
  }

  /** Whether a transaction can begin, as far as the session knows. */
  get isUsable(): boolean {
    return this.isConnected && !this.hasEnded;
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
    for (const statement of statements) await this.query(statement);
  }

  async begin(access: Access = 'write'): Promise<void> {
    const { dialect, callTimeoutMs } = this.#settings;
    await this.execute(
      access === 'read' ? dialect.beginReading(callTimeoutMs) : dialect.begin(callTimeoutMs),
    );
  }

  /** Runs `work` in the transaction that has begun. Commits it, or rolls it back if `work` fails. */
  async finish<Reply>(work: () => Promise<Reply>): Promise<Reply> {
    try {
      const reply = await work();
      await this.query('COMMIT');
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
