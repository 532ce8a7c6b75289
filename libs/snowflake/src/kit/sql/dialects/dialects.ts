import type { DatabaseOptions } from '../database/database-options.js';
import { InvalidOptionError } from '../../../core/errors/input-errors.js';
import { redact } from '../../../core/errors/show-value.js';
import { mysql } from './mysql.js';
import { postgres } from './postgres.js';
import type { SqlDialect } from './dialect.js';
import { sqlite } from './sqlite.js';

const DIALECTS: Readonly<Record<string, SqlDialect>> = {
  postgres,
  mysql,
  mariadb: mysql,
  'better-sqlite3': sqlite,
};

/** What a database is wanted for, and what to do if it is the wrong one. */
export interface DatabaseUse {
  /** What it holds, such as `leases`. */
  readonly holds: string;
  /** What to do without such a database, as the end of a sentence. */
  readonly otherwise: string;
}

/** Returns the dialect of a database. @throws InvalidOptionError if it is not supported */
export function dialectOf(options: DatabaseOptions, { holds, otherwise }: DatabaseUse): SqlDialect {
  const dialect = Object.hasOwn(DIALECTS, options.type) ? DIALECTS[options.type] : undefined;
  if (!dialect) {
    throw new InvalidOptionError(
      'dataSource.type',
      // Users pass a URL here by mistake.
      /^[a-z][a-z\d-]{0,30}$/.test(options.type) ? options.type : redact(options.type),
      `is not a database that can hold ${holds}`,
      `Use ${Object.keys(DIALECTS).join(', ')}, or ${otherwise}.`,
    );
  }
  return dialect;
}

/** What a store's connection to a database relies on. A control replaces it by a dialect without one of its clauses. */
export interface SqlMechanisms {
  dialectOf(options: DatabaseOptions, use: DatabaseUse): SqlDialect;
}

export const SQL_MECHANISMS: SqlMechanisms = { dialectOf };

/** Refuses a database that is not supported, or that only one connection can see. @throws InvalidOptionError */
export function requireSharedDatabase(options: DatabaseOptions, use: DatabaseUse): void {
  if (dialectOf(options, use) === sqlite && isInMemory(options.database)) {
    throw new InvalidOptionError(
      'dataSource.database',
      // A SQLite URI may contain a key.
      options.database === ':memory:' ? options.database : redact(options.database),
      'is in memory, where no other connection can see it',
      `Use a file, or ${use.otherwise}.`,
    );
  }
}

/** Returns the common name of a database rather than that of its driver. */
export function kindOf({ type }: DatabaseOptions): string {
  return type === 'better-sqlite3' ? 'sqlite' : type;
}

function isInMemory(database: unknown): boolean {
  return typeof database !== 'string' || database === '' || /:memory:|mode=memory/.test(database);
}
