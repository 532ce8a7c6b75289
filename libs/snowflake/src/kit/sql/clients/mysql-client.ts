import { addressOf, type DatabaseAddress } from '../database/database-options.js';
import { driverPackage } from './driver-package.js';
import type { ClientSettings, SqlClient } from './sql-client.js';
import type { SqlResult, SqlRow, SqlValue } from '../statements.js';

type Callback<Reply> = (error: unknown, result: Reply) => void;

type Result = SqlRow[] | { readonly affectedRows?: number };

/** A connection of mysql2 2 or 3, as far as it is used here. */
interface Connection {
  connect(done: Callback<unknown>): void;
  query(sql: string, values: readonly SqlValue[], done: Callback<Result>): void;
  /** With `multipleStatements`, a text can have several statements, each of which has a result. */
  query(sql: string, values: readonly SqlValue[], done: Callback<readonly Result[]>): void;
  end(done: Callback<unknown>): void;
  on(event: 'error', listener: () => void): unknown;
  /** mysql2 doesn't document it. `driver-versions.spec.ts` shows that destroying it frees a call. */
  readonly stream: { destroy(): void; unref(): void };
}

type Mysql2 = { createConnection(config: object): Connection };

/** A connection to MySQL or MariaDB. */
export class MysqlClient implements SqlClient {
  /** Is private, so that printing the store does not show the password. */
  readonly #settings: ClientSettings;
  #connection?: Connection;
  #isDestroyed = false;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  async connect(): Promise<void> {
    const mysql2 = await driverPackage<Mysql2>(this.#settings.options.driver, {
      mysql2: () => import('mysql2'),
    });
    const config = await this.config();
    if (this.#isDestroyed) throw new Error('the connection was abandoned');
    const connection = mysql2.createConnection(config);
    // The next statement fails instead. An error that nobody listens to would end the process.
    connection.on('error', () => undefined);
    this.#connection = connection;
    await settled((done) => connection.connect(done));
  }

  async query(sql: string, parameters: readonly SqlValue[]): Promise<SqlResult> {
    const result = await settled<Result>((done) => this.connection.query(sql, parameters, done));
    return toResult(result);
  }

  async queryAll(sql: string): Promise<readonly SqlResult[]> {
    const results = await settled<readonly Result[]>((done) => this.connection.query(sql, [], done));
    return results.map(toResult);
  }

  unref(): void {
    this.connection.stream.unref();
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    if (connection) await settled((done) => connection.end(done));
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#connection?.stream.destroy();
  }

  private get connection(): Connection {
    if (!this.#connection) throw new Error('the connection was abandoned');
    return this.#connection;
  }

  private async config(): Promise<object> {
    const { options, connectTimeoutMs } = this.#settings;
    const { username, password, url: _url, ...address } = urlRead(addressOf(options));
    return {
      ...address,
      user: username,
      password: typeof password === 'function' ? await password() : password,
      ...(options.charset === undefined ? {} : { charset: options.charset }),
      ...(options.flags === undefined ? {} : { flags: options.flags }),
      supportBigNumbers: true,
      bigNumberStrings: true,
      ...(options.extra as object | undefined),
      // Overrides the app's own bound, which may be 0 (unbounded).
      connectTimeout: connectTimeoutMs,
      // All values in such a text are literals of the dialect's own.
      multipleStatements: true,
    };
  }
}

function toResult(result: Result): SqlResult {
  return Array.isArray(result)
    ? { rows: result, affected: 0 }
    : { rows: [], affected: result.affectedRows ?? 0 };
}

function settled<Reply>(start: (done: Callback<Reply>) => void): Promise<Reply> {
  return new Promise((resolve, reject) => {
    start((error, result) => (error ? reject(error as Error) : resolve(result)));
  });
}

/** Reads the URL as TypeORM does, whose users may have a password with raw `#` or `?`. What the URL says wins. */
function urlRead(address: DatabaseAddress): DatabaseAddress {
  if (address.url === undefined || address.url === '') return address;
  const [, base = '', path = ''] = /^[^:]*:\/\/([^/]*)(?:\/([^?]*))?/.exec(address.url) ?? [];
  const at = base.lastIndexOf('@');
  const [, username = '', password] = /^([^:]*)(?::(.*))?$/s.exec(base.slice(0, Math.max(at, 0))) ?? [];
  const [host, port] = base.slice(at + 1).split(':');
  return {
    ...address,
    host,
    ...(port ? { port: Number.parseInt(port, 10) } : {}),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password ?? ''),
    ...(path === '' ? {} : { database: path }),
  };
}
