import { addressOf } from '../database/database-options.js';
import { driverPackage } from './driver-package.js';
import type { ClientSettings, SqlClient } from './sql-client.js';
import type { SqlResult, SqlRow, SqlValue } from '../statements.js';

interface Result {
  readonly rows?: SqlRow[];
  readonly rowCount?: number | null;
}

/** A client of pg 8, as far as it is used here. */
interface Client {
  connect(): Promise<unknown>;
  query(sql: string, values: readonly SqlValue[]): Promise<Result>;
  /** Without values, a text can have several statements, each of which has a result. */
  query(sql: string): Promise<Result | readonly Result[]>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
  /** pg doesn't document it. `driver-versions.spec.ts` shows that destroying its socket frees a call. */
  readonly connection: { readonly stream: { destroy(): void; unref(): void } };
}

type Pg = { readonly Client: new (config: object) => Client };

/** A connection to PostgreSQL. */
export class PgClient implements SqlClient {
  /** Is private, so that printing the store does not show the password. */
  readonly #settings: ClientSettings;
  #client?: Client;
  #isDestroyed = false;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  async connect(): Promise<void> {
    const pg = await driverPackage<Pg>(this.#settings.options.driver, { pg: () => import('pg') });
    if (this.#isDestroyed) throw new Error('the connection was abandoned');
    const client = new pg.Client(this.config());
    // The next statement fails instead. An error that nobody listens to would end the process.
    client.on('error', () => undefined);
    this.#client = client;
    await client.connect();
  }

  async query(sql: string, parameters: readonly SqlValue[]): Promise<SqlResult> {
    return toResult(await this.client.query(sql, parameters));
  }

  async queryAll(sql: string): Promise<readonly SqlResult[]> {
    return [await this.client.query(sql)].flat().map(toResult);
  }

  unref(): void {
    this.client.connection.stream.unref();
  }

  async close(): Promise<void> {
    await this.#client?.end();
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#client?.connection.stream.destroy();
  }

  private get client(): Client {
    if (!this.#client) throw new Error('the connection was abandoned');
    return this.#client;
  }

  private config(): object {
    const { options, connectionName, connectTimeoutMs } = this.#settings;
    const { url, username, ...address } = addressOf(options);
    return {
      ...address,
      // pg reads it in its own way, and what it says wins.
      connectionString: url,
      user: username,
      application_name: connectionName,
      ...(options.extra as object | undefined),
      // Overrides the app's own bound, which may be 0 (unbounded).
      connectionTimeoutMillis: connectTimeoutMs,
    };
  }
}

function toResult({ rows, rowCount }: Result): SqlResult {
  return { rows: rows ?? [], affected: rowCount ?? 0 };
}
