import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseOptions } from '../database/database-options.js';
import { driverPackage } from './driver-package.js';
import type { ClientSettings, SqlClient } from './sql-client.js';
import type { SqlResult, SqlRow, SqlValue } from '../statements.js';

/** A database of better-sqlite3, libsql or node:sqlite, as far as it is used here. */
interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): void;
}

interface Statement {
  /** Missing in node:sqlite. */
  readonly reader?: boolean;
  all(...values: readonly SqlValue[]): SqlRow[];
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
}

type DatabaseClass = new (file: string, options: object) => Database;
type Driver = DatabaseClass | { readonly DatabaseSync: DatabaseClass };

const RETURNS_ROWS = /^\s*(SELECT|PRAGMA|WITH)\b|\bRETURNING\b/i;
const OF_TRANSACTIONS = /^(BEGIN|COMMIT|ROLLBACK)\b/;

/**
 * A connection to a file of SQLite, with a driver that executes statements on the calling thread.
 *
 * It must be the driver with which the app opens the same file: SQLite warns that two copies of it in one process release each
 * other's locks.
 */
export class SqliteClient implements SqlClient {
  /** Is private, so that printing the store does not show the key. */
  readonly #options: DatabaseOptions;
  #database?: Database;
  /** Statements by their SQL, of which a store has a few dozen. */
  readonly #statements = new Map<string, Statement>();

  constructor({ options }: ClientSettings) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    const { driver, database, nativeBinding, key, enableWAL } = this.#options;
    const sqlite = await driverPackage<Driver>(driver, {
      'better-sqlite3': () => native('better-sqlite3'),
      libsql: () => native('libsql'),
      'Node 22.13': nodeSqlite,
    });
    const file = String(database);
    await mkdir(dirname(file), { recursive: true });
    const Database = 'DatabaseSync' in sqlite ? sqlite.DatabaseSync : sqlite;
    this.#database = new Database(file, {
      timeout: 0,
      ...(nativeBinding === undefined ? {} : { nativeBinding }),
    });
    // The key comes before anything else reads the file.
    if (typeof key === 'string') this.#database.exec(`PRAGMA key = ${JSON.stringify(key)}`);
    if (enableWAL === true) this.#database.exec('PRAGMA journal_mode = WAL');
  }

  async query(sql: string, parameters: readonly SqlValue[]): Promise<SqlResult> {
    try {
      return this.execute(sql, parameters);
    } catch (error) {
      throw withName(error);
    }
  }

  private execute(sql: string, parameters: readonly SqlValue[]): SqlResult {
    if (OF_TRANSACTIONS.test(sql)) {
      // A prepared COMMIT that a reader has refused is in progress until it runs again, with libsql even after ROLLBACK and close():
      // until then, it keeps a lock with which no other process can commit. exec() ends what it runs.
      this.open().exec(sql);
      return { rows: [], affected: 0 };
    }
    const statement = this.prepared(sql);
    if (statement.reader ?? RETURNS_ROWS.test(sql))
      return { rows: statement.all(...parameters), affected: 0 };
    return { rows: [], affected: Number(statement.run(...parameters).changes) };
  }

  /** Prepares a statement once: libsql keeps one that has failed in progress until it runs again or is collected. */
  private prepared(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.open().prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  private open(): Database {
    if (!this.#database) throw new Error('the connection was abandoned');
    return this.#database;
  }

  async close(): Promise<void> {
    this.destroy();
  }

  destroy(): void {
    const database = this.#database;
    this.#database = undefined;
    this.#statements.clear();
    database?.close();
  }
}

const NAMES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  11: 'SQLITE_CORRUPT',
  14: 'SQLITE_CANTOPEN',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
};

/** Gives an error of node:sqlite, which has only a number, the code that the other drivers give it. */
function withName(error: unknown): unknown {
  const { errcode, message } = Object(error) as { readonly errcode?: unknown; readonly message?: unknown };
  if (typeof errcode !== 'number') return error;
  const code = NAMES[errcode] ?? NAMES[errcode & 0xff] ?? 'SQLITE_ERROR';
  // A new one, because an error of a built-in module is no Error of the realm in which Jest runs a test.
  return Object.assign(new Error(String(message), { cause: error }), { code });
}

/** No bundler can bundle a native package, so none needs to see its name. */
const native = (name: string): Promise<unknown> => import(name);

/** Node 20 has none. */
async function nodeSqlite(): Promise<unknown> {
  return process.getBuiltinModule('node:sqlite');
}
