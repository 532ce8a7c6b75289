import type { DatabaseOptions } from '../database/database-options.js';
import type { SqlResult, SqlValue } from '../statements.js';
import { MysqlClient } from './mysql-client.js';
import { PgClient } from './pg-client.js';
import { SqliteClient } from './sqlite-client.js';

/**
 * One connection of a driver, without a pool. The drivers bound the wait for a connection, but none of their options ends a
 * statement, a TLS handshake or a goodbye message that a dead network drops: `destroy` does.
 */
export interface SqlClient {
  /** Connects, once. */
  connect(): Promise<void>;
  /** Executes one statement with the placeholders of its database. */
  query(sql: string, parameters: readonly SqlValue[]): Promise<SqlResult>;
  /** Executes statements without parameters, which one message holds. Absent if the database takes one statement a message. */
  queryAll?(sql: string): Promise<readonly SqlResult[]>;
  /** The socket doesn't keep the process alive from now on. Absent if there is none. */
  unref?(): void;
  /** Closes the connection, however long the server takes. */
  close(): Promise<void>;
  /** Ends the connection immediately, whatever its state. Statements that wait fail. */
  destroy(): void;
}

/** How to make a client. */
export interface ClientSettings {
  readonly options: DatabaseOptions;
  /** The name of the connection, as the server shows it. */
  readonly connectionName: string;
  readonly connectTimeoutMs: number;
}

/** Makes the client of a supported database. Loads no driver before it connects. */
export function clientFor(settings: ClientSettings): SqlClient {
  const { type } = settings.options;
  if (type === 'postgres') return new PgClient(settings);
  return type === 'better-sqlite3' ? new SqliteClient(settings) : new MysqlClient(settings);
}
