import { clientFor, type SqlClient } from './clients/sql-client.js';
import type { DatabaseOptions } from './database/database-options.js';
import type { SqlDialect } from './dialects/dialect.js';
import { type Query, type SqlResult, type Statement, type Statements, statementsOver } from './statements.js';

/**
 * What a transaction may do. One that enters or keeps waits in line with others like it, before it locks what all transactions need:
 * those that enter one after the other, so that those that keep what they have find few before them.
 */
export type Access = 'read' | 'write' | 'enter' | 'keep';

/** How a transaction runs. */
export interface TransactionKind {
  /** @defaultValue 'write' */
  readonly access?: Access;
  /** In which of the lines of this connection's name it waits. @defaultValue '' */
  readonly line?: string;
}

/** The statements that begin a transaction, which travel with its first statements. */
interface Opening {
  readonly statements: readonly string[];
  /** Called with their results when they have been executed. */
  done(results: readonly SqlResult[]): void;
}

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
  /** Is private, so that printing the store does not show the password. */
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
  /** What begins the transaction; undefined once it has been sent. */
  private opening: Opening | undefined;
  private hasBegun = false;
  private hasCommitted = false;
  private serverIsNearlyFull = false;
  private hasLine = true;
  /** What leaves the line in which the transaction has waited, after its end. */
  private leaving: readonly Statement[] = [];

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
    this.batch = (list) => this.send(list, statements.batch);
    this.query = async (sql, parameters) => {
      if (!this.opening) return statements.query(sql, parameters);
      const [result] = await this.batch([{ sql, parameters }]);
      return result?.rows ?? [];
    };
    this.write = async (sql, parameters) => {
      if (!this.opening) return statements.write(sql, parameters);
      const [result] = await this.batch([{ sql, parameters }]);
      return result?.affected ?? 0;
    };
  }

  /** Sends statements, and what begins the transaction before them. */
  private async send(list: readonly Statement[], batch: Statements['batch']): Promise<readonly SqlResult[]> {
    const { opening } = this;
    if (!opening) return batch(list);
    this.opening = undefined;
    const before = opening.statements.map((sql) => ({ sql }));
    const results = await batch([...before, ...list]);
    this.hasBegun = true;
    opening.done(results.slice(0, before.length));
    return results.slice(before.length);
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
    try {
      await this.#client.connect();
      if (this.hasEnded) throw new Error('the connection was established too late');
      this.isConnected = true;
      await this.prepare();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  private async prepare(): Promise<void> {
    const { dialect, callTimeoutMs } = this.#settings;
    const { lacksLine } = dialect;
    const asked = lacksLine ? [{ sql: lacksLine.statement }] : [];
    const statements = dialect.prepare(callTimeoutMs).map((sql) => ({ sql }));
    const [answer] = await this.batch([...asked, ...statements]);
    this.hasLine = !lacksLine?.isShown(answer?.rows ?? []);
  }

  /** Its socket doesn't keep the process alive from now on. */
  unref(): void {
    this.#client.unref?.();
  }

  async execute(statements: readonly string[]): Promise<void> {
    await this.batch(statements.map((sql) => ({ sql })));
  }

  /** Whether the server has answered within the transaction. Before that, the connection may turn out to have ended long ago. */
  get hasAnswered(): boolean {
    return this.hasBegun;
  }

  /**
   * Begins a transaction with the next statement: both travel in one message, if the database can, because a lock that is taken in
   * between would be held for as long as the network takes.
   *
   * @param queueMs how long it may wait in line
   * @param opened called when the server has executed what begins the transaction, with the milliseconds that it spent in line
   */
  begin(
    { access = 'write', line: ofLine = '' }: TransactionKind = {},
    queueMs = 0,
    opened: (waitedMs: number) => void = () => undefined,
  ): void {
    const { dialect, callTimeoutMs, connectionName } = this.#settings;
    this.hasBegun = false;
    this.hasCommitted = false;
    this.leaving = [];
    if (access === 'read') {
      this.opening = { statements: dialect.beginReading(callTimeoutMs), done: () => opened(0) };
      return;
    }
    const [start = '', ...settings] = dialect.begin(callTimeoutMs);
    const { statements = [], isHigh = () => false } = dialect.connections ?? {};
    const wait = {
      name: `${connectionName}${ofLine}`,
      waitMs: Math.ceil(queueMs),
      isNewcomer: access === 'enter',
    };
    const line = access === 'write' || !this.hasLine ? [] : (dialect.line?.(wait) ?? []);
    if (line.length > 0) this.leaving = (dialect.leaveLine?.(wait) ?? []).map((sql) => ({ sql }));
    const list = [start, ...statements, ...line, ...settings];
    this.opening = {
      statements: list,
      done: (results) => {
        const used = results.slice(1, 1 + statements.length);
        const waited = results[statements.length + line.length]?.rows[0]?.['waited_ms'];
        this.serverIsNearlyFull = isHigh(used.map(({ rows }) => rows[0]));
        opened(Number(waited ?? 0));
      },
    };
  }

  /** Executes the last statements of the transaction, and commits it. */
  async commit(statements: readonly Statement[]): Promise<readonly SqlResult[]> {
    const results = await this.batch([...statements, { sql: 'COMMIT' }, ...this.leaving]);
    this.hasCommitted = true;
    return results;
  }

  /** Runs `work` in the transaction that has begun. Commits it, or rolls it back if `work` fails. */
  async finish<Reply>(work: () => Promise<Reply>): Promise<Reply> {
    try {
      const reply = await work();
      if (!this.hasCommitted) await this.endWith('COMMIT');
      return reply;
    } catch (error) {
      await this.endWith('ROLLBACK').catch(() => this.abandon());
      throw error;
    }
  }

  /** Ends the transaction, unless it has sent nothing. */
  private async endWith(sql: string): Promise<void> {
    if (this.opening) this.opening = undefined;
    else await this.batch([{ sql }, ...this.leaving]);
  }

  /** Runs `work` in its own transaction. */
  async transact(work: () => Promise<void>): Promise<void> {
    this.begin();
    await this.finish(work);
  }

  /** Executes the statements after a transaction, unless it has sent nothing. */
  async end(): Promise<void> {
    if (this.hasBegun) await this.execute(this.#settings.dialect.end);
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
