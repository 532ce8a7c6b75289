import { InvalidOptionError } from '../core/index.js';

/** The part of a better-sqlite3 (or libsql) database that is used here. */
export interface SqliteDatabase {
  defaultSafeIntegers(toggle: boolean): unknown;
  prepare(sql: string): SqliteStatement;
  pragma(source: string, options?: object): unknown;
}

/** The part of a prepared statement that is used here. */
export interface SqliteStatement {
  all(...parameters: unknown[]): unknown[];
  get(...parameters: unknown[]): unknown;
  iterate(...parameters: unknown[]): Iterable<unknown>;
  run(...parameters: unknown[]): unknown;
}

/**
 * Makes SQLite return 64-bit integers exactly. For the option of the same name of TypeORM's driver `better-sqlite3`,
 * with the package better-sqlite3 or libsql:
 *
 * ```ts
 * { type: 'better-sqlite3', database: 'orders.db', prepareDatabase, … }
 * ```
 *
 * Without it every integer is read as a JavaScript number and IDs beyond 2^53 are rounded. With it an integer is a
 * number as long as a number holds it exactly, else a decimal string; `defaultSafeIntegers` alone would turn every
 * count and every boolean into a bigint.
 *
 * @throws InvalidOptionError when the database cannot return 64-bit integers
 */
export function prepareDatabase(database: SqliteDatabase): void {
  if (typeof database?.defaultSafeIntegers !== 'function') {
    throw new InvalidOptionError(
      'prepareDatabase',
      database,
      'was given a database that cannot return 64-bit integers',
      "Use it with type: 'better-sqlite3' and the package better-sqlite3 or libsql.",
    );
  }
  database.defaultSafeIntegers(true);
  const prepare = database.prepare.bind(database);
  database.prepare = (sql) => exactStatement(prepare(sql));
  // The pragma() of better-sqlite3 does not come by prepare().
  const pragma = database.pragma.bind(database);
  database.pragma = (source, options) => exactIntegers(pragma(source, options));
}

function exactStatement(statement: SqliteStatement): SqliteStatement {
  const all = statement.all.bind(statement);
  const get = statement.get.bind(statement);
  const iterate = statement.iterate.bind(statement);
  const run = statement.run.bind(statement);
  return Object.assign(statement, {
    all: (...parameters: unknown[]) => all(...positional(parameters)).map(exactIntegers),
    get: (...parameters: unknown[]) => exactIntegers(get(...positional(parameters))),
    iterate: (...parameters: unknown[]) => exactRows(iterate(...positional(parameters))),
    run: (...parameters: unknown[]) => exactIntegers(run(...positional(parameters))),
  });
}

/** A lone null reads as missing named parameters to libsql: `typeof null` is `'object'`. */
function positional(parameters: unknown[]): unknown[] {
  return parameters.length === 1 && parameters[0] === null ? [parameters] : parameters;
}

function* exactRows(rows: Iterable<unknown>): Generator<unknown, void> {
  for (const row of rows) yield exactIntegers(row);
}

/** A value, or a fresh row: the row is changed in place. */
function exactIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return exactInteger(value);
  if (isRow(value)) {
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (typeof item === 'bigint') value[key] = exactInteger(item);
      else if (isRow(item)) exactIntegers(item);
    }
  }
  return value;
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function exactInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
