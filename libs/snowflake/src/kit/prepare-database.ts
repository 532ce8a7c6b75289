import { requireMethods } from '../core/options/option-checks.js';

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
  columns(): readonly { readonly name: string; readonly type: string | null }[];
}

/**
 * Makes a database of the package better-sqlite3 or libsql return IDs exactly. With TypeORM, set it as the option of the same name of
 * the driver `better-sqlite3`. With MikroORM, call it with the database that its driver uses.
 *
 * Without it, the driver reads every integer as a JavaScript number and rounds IDs beyond 2^53. With it, a value of a column
 * declared `bigint` is a decimal string. Any other integer, such as a count, is a number if a number holds it exactly,
 * otherwise a decimal string.
 *
 * @throws InvalidOptionError if the database can't return 64-bit integers
 * @example
 * ```ts
 * new DataSource({ type: 'better-sqlite3', database: 'orders.db', prepareDatabase, entities: [Order] })
 * ```
 */
export function prepareDatabase(database: SqliteDatabase): void {
  requireMethods(
    'database',
    database,
    ['defaultSafeIntegers', 'prepare', 'pragma'],
    "Pass a database of the package better-sqlite3 or libsql. With TypeORM, set prepareDatabase with type: 'better-sqlite3'.",
  );
  database.defaultSafeIntegers(true);
  const prepare = database.prepare.bind(database);
  database.prepare = (sql) => exactStatement(prepare(sql));
  // The pragma() of better-sqlite3 does not use prepare().
  const pragma = database.pragma.bind(database);
  database.pragma = (source, options) => exactIntegers(pragma(source, options), NO_IDS);
}

type IsId = (key: string) => boolean;
const NO_IDS: IsId = () => false;

function exactStatement(statement: SqliteStatement): SqliteStatement {
  const all = statement.all.bind(statement);
  const get = statement.get.bind(statement);
  const iterate = statement.iterate.bind(statement);
  const run = statement.run.bind(statement);
  let isId: IsId | undefined;
  // The row is read once, and only if there is one: better-sqlite3 throws for a statement that returns no rows.
  const exact = (row: unknown): unknown => exactIntegers(row, (isId ??= idsOf(statement)));
  return Object.assign(statement, {
    all: (...parameters: unknown[]) => all(...positional(parameters)).map(exact),
    get: (...parameters: unknown[]) => {
      const row = get(...positional(parameters));
      return row === undefined ? row : exact(row);
    },
    *iterate(...parameters: unknown[]) {
      for (const row of iterate(...positional(parameters))) yield exact(row);
    },
    run: (...parameters: unknown[]) => exactIntegers(run(...positional(parameters)), NO_IDS),
  });
}

/** The columns of type bigint by name, and by position for rows that are arrays or single values. */
function idsOf(statement: SqliteStatement): IsId {
  const keys = statement
    .columns()
    .flatMap(({ name, type }, index) => (/^bigint\b/i.test(type ?? '') ? [name, String(index)] : []));
  const ids = new Set(keys);
  return (key) => ids.has(key);
}

/** libsql mistakes a single null for named parameters, because `typeof null` is `'object'`. */
function positional(parameters: unknown[]): unknown[] {
  return parameters.length === 1 && parameters[0] === null ? [parameters] : parameters;
}

/** Converts a value, or changes a new row in place. */
function exactIntegers(value: unknown, isId: IsId): unknown {
  if (typeof value === 'bigint') return exactInteger(value, isId('0'));
  if (isRow(value)) {
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (typeof item === 'bigint') value[key] = exactInteger(item, isId(key));
      else if (isRow(item)) exactIntegers(item, isId);
    }
  }
  return value;
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function exactInteger(value: bigint, isId: boolean): number | string {
  const number = Number(value);
  return !isId && Number.isSafeInteger(number) ? number : value.toString();
}
