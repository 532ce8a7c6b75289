/** A private database server on 127.0.0.1. */
export interface DatabaseServer {
  readonly port: number;
  readonly pid: number;
  /** Of the database that the server was born with. */
  readonly url: string;
  /** Where its files lie. */
  readonly dataDirectory: string;
  /** Ends the server and removes its directory. */
  stop(): Promise<void>;
  /** Ends the server as a failure of the machine does, and leaves its files. */
  crash(): Promise<void>;
  /** Starts the server again after a crash, or after one that this call makes. `between` may change its files. */
  restart(between?: () => void | Promise<void>): Promise<void>;
  /** Makes an empty database; the name may hold lower-case letters, digits and `_`. Returns its URL. */
  createDatabase(name: string): Promise<string>;
}

/** How a server is started. */
export interface DatabaseServerOptions {
  /** Settings of the server beside those of all tests. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes the server a replica of this one, which follows it until it is promoted. */
  readonly replicaOf?: DatabaseServer;
}

/** Settings of a server that keeps what it has acknowledged. Those of all tests may lose the last second in a crash. */
export const DURABLE_SETTINGS = {
  postgres: { fsync: 'on', full_page_writes: 'on' },
  mariadb: { 'innodb-flush-log-at-trx-commit': '1', 'sync-binlog': '1' },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

/** Bound on one statement of the harness itself, connection included. */
export const STATEMENT_WITHIN_MS = 30_000;
/** Bound on the making of a server's data directory. */
export const INITIALIZE_WITHIN_MS = 120_000;

export function checkDatabaseName(name: string): void {
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(name))
    throw new Error(`Not a database name of the tests: ${JSON.stringify(name)}`);
}
