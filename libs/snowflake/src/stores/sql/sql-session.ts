import { DataSource, type DataSourceOptions, type QueryResult, type QueryRunner } from 'typeorm';
import { OwnSockets } from './own-sockets.js';
import type { SqlDialect } from './sql-dialect.js';
import type { Query, SqlRow, Statements } from './sql-registry.js';

/** What a transaction may do. */
export type Access = 'read' | 'write';

/** How to make the store's own connection. */
export interface SessionSettings {
  readonly dialect: SqlDialect;
  readonly options: DataSourceOptions;
  readonly connectionName: string;
  readonly callTimeoutMs: number;
}

/** A connection of the store's own. The store drops it after any failure except a conflict. */
export class SqlSession implements Statements {
  /** Private, so that printing the store does not show the password. */
  readonly #settings: SessionSettings;
  readonly #dataSource: DataSource;
  readonly #sockets = new OwnSockets();
  #runner?: QueryRunner;
  private hasEnded = false;

  /** Does not connect yet. */
  constructor(settings: SessionSettings) {
    this.#settings = settings;
    this.#dataSource = new DataSource(ownOptions(settings, this.#sockets));
  }

  /** Whether a transaction can begin, as far as the session knows. */
  get isUsable(): boolean {
    return this.#runner !== undefined && !this.hasEnded;
  }

  /** Connects, once. The driver bounds the wait for the server's greeting, and `abandon` ends every later one. */
  async connect(): Promise<void> {
    const { dialect, callTimeoutMs } = this.#settings;
    try {
      await this.#dataSource.initialize();
      const runner = this.#dataSource.createQueryRunner('master');
      await runner.connect();
      this.#runner = runner;
      if (this.hasEnded) throw new Error('the connection was established too late');
      await this.execute(dialect.prepare(callTimeoutMs));
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Executes one statement, unless the session has ended. */
  readonly query: Query = async (sql, parameters = []) => {
    const { raw } = await this.send(sql, parameters);
    return Array.isArray(raw) ? (raw as SqlRow[]) : [];
  };

  /** Executes one statement, and returns how many rows it has written. */
  readonly write: Statements['write'] = async (sql, parameters) => {
    const { affected } = await this.send(sql, parameters);
    return Number(affected);
  };

  private async send(sql: string, parameters: readonly (string | number)[]): Promise<QueryResult> {
    if (!this.#runner || this.hasEnded) throw new Error('the connection was abandoned');
    let position = 0;
    const text = sql.replaceAll('?', () => this.#settings.dialect.parameter(++position));
    return this.#runner.query(text, [...parameters], true);
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
    if (this.isUsable) await this.takeDown();
    else this.abandon();
  }

  /** Ends the connection immediately, whatever its state: a server that hangs does not close it. */
  abandon(): void {
    this.hasEnded = true;
    this.#sockets.destroy();
    this.takeDown().catch(() => undefined);
  }

  private async takeDown(): Promise<void> {
    this.hasEnded = true;
    await this.#runner?.release();
    // TypeORM refuses to destroy a DataSource whose initialisation failed, although its pool may be open.
    if (this.#dataSource.isInitialized) await this.#dataSource.destroy();
    else await this.#dataSource.driver.disconnect();
  }
}

/** Returns the app's options for a connection, without entities, migrations and logging. */
function ownOptions(
  { dialect, options, connectionName, callTimeoutMs }: SessionSettings,
  sockets: OwnSockets,
): DataSourceOptions {
  const replication = 'replication' in options ? options.replication : undefined;
  const master = replication && 'master' in replication ? replication.master : undefined;
  return {
    ...options,
    ...(master && Object.fromEntries(dialect.masterOptions.map((name) => [name, undefined]))),
    ...master,
    replication: undefined,
    entities: [],
    subscribers: [],
    migrations: [],
    migrationsRun: false,
    synchronize: false,
    dropSchema: false,
    cache: false,
    logging: false,
    logger: undefined,
    maxQueryExecutionTime: undefined,
    ...dialect.ownOptions(options, callTimeoutMs, connectionName, sockets),
  } as DataSourceOptions;
}
