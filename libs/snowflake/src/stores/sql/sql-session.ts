import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import type { SqlDialect } from './sql-dialect.js';
import type { Query, SqlRow } from './sql-registry.js';

/** How the store's own connection is made. */
export interface SessionSettings {
  readonly dialect: SqlDialect;
  readonly options: DataSourceOptions;
  readonly connectionName: string;
  readonly callTimeoutMs: number;
}

/** A connection of the store's own. After any failure that is no conflict it is thrown away. */
export class SqlSession {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly runner: QueryRunner,
    private readonly connection: unknown,
    private readonly settings: SessionSettings,
  ) {}

  /** Connects. The driver bounds the wait for the server. */
  static async connect(settings: SessionSettings): Promise<SqlSession> {
    const dataSource = await new DataSource(ownOptions(settings)).initialize();
    const runner = dataSource.createQueryRunner('master');
    const connection: unknown = await runner.connect();
    const session = new SqlSession(dataSource, runner, connection, settings);
    try {
      await session.execute(settings.dialect.prepare(settings.callTimeoutMs));
      return session;
    } catch (error) {
      session.abandon();
      throw error;
    }
  }

  /** Executes one statement. */
  readonly query: Query = async (sql, parameters = []) => {
    let position = 0;
    const text = sql.replaceAll('?', () => this.settings.dialect.parameter(++position));
    const rows: unknown = await this.runner.query(text, [...parameters]);
    return Array.isArray(rows) ? (rows as SqlRow[]) : [];
  };

  async execute(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.query(statement);
  }

  async begin(): Promise<void> {
    await this.execute(this.settings.dialect.begin(this.settings.callTimeoutMs));
  }

  async commit(): Promise<void> {
    await this.query('COMMIT');
  }

  async rollback(): Promise<void> {
    await this.query('ROLLBACK');
  }

  /** What follows a transaction. */
  async end(): Promise<void> {
    await this.execute(this.settings.dialect.end);
  }

  async close(): Promise<void> {
    await this.runner.release();
    await this.dataSource.destroy();
  }

  /** Ends the connection whatever state it is in: a server that hangs takes no goodbye. */
  abandon(): void {
    socketOf(this.connection)?.destroy();
    this.close().catch(() => undefined);
  }
}

/** The app's connection without what the app does with it. */
function ownOptions({ dialect, options, connectionName, callTimeoutMs }: SessionSettings): DataSourceOptions {
  const replication = 'replication' in options ? options.replication : undefined;
  const master = replication && 'master' in replication ? replication.master : undefined;
  return {
    ...options,
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
    ...dialect.ownOptions(options, callTimeoutMs, connectionName),
  } as DataSourceOptions;
}

interface Socket {
  destroy(): void;
}

/** pg keeps the socket in a `connection` of its client, mysql2 in the connection itself; SQLite has none. */
function socketOf(connection: unknown): Socket | undefined {
  const inner = property(connection, 'connection') ?? connection;
  const stream = property(inner, 'stream');
  return isSocket(stream) ? stream : undefined;
}

function property(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}

function isSocket(value: unknown): value is Socket {
  return typeof property(value, 'destroy') === 'function';
}
