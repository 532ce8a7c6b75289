import { existsSync } from 'node:fs';
import { safeCopy, safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { credentialsIn } from 'nestjs-snowflake/internal/kit/credentials';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { LEASE_TABLES } from 'nestjs-snowflake/internal/stores/sql/lease-tables';
import { databaseOfUrl } from 'nestjs-snowflake/internal/kit/sql/database/database-choice';
import { SqlSession } from 'nestjs-snowflake/internal/kit/sql/session';
import type { SqlValue } from 'nestjs-snowflake/internal/kit/sql/statements';
import { InvalidOptionError, systemClock } from 'nestjs-snowflake/core';
import { type CatalogSession, type DeclaredColumn, type Plan, PLANS } from './catalog.js';
import type { Migration } from './steps.js';

/** How each kind of database quotes a name so that a missing column is an error: SQLite takes `"name"` for a text then. */
const QUOTES: Readonly<Record<string, string>> = { postgres: '"' };

/**
 * Plans as `migrationOf()` does, from the catalog of a database alone, whichever ORM the app has. Changes nothing.
 *
 * @param keys the columns that get Snowflake IDs, as `table.column` or `schema.table.column`
 * @throws InvalidOptionError if the URL is wrong, the file is missing, or the database has no such column
 */
export async function migrationOfDatabase(
  url: string,
  keys: readonly string[],
  timeoutMs: number,
): Promise<Migration> {
  const options = databaseOfUrl(url, '--database');
  const { type, database } = options;
  // Connecting would create the file.
  if (type === 'better-sqlite3' && !existsSync(String(database))) {
    const remedy = 'Correct its path, or run the command in the folder to which the path is relative.';
    throw new InvalidOptionError('--database', String(database), 'names a file that does not exist', remedy);
  }
  const columns = keys.map((key) => ({ key, column: columnOf(key, type) }));
  const { dialect } = LEASE_TABLES.in(options);
  // A URL names one of these types.
  const plan = PLANS[type] as Plan;
  const connectionName = 'nestjs-snowflake sql';
  const connection = new SqlSession({ dialect, options, connectionName, callTimeoutMs: timeoutMs });
  const session: CatalogSession = {
    query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await connection.query(sql, parameters as readonly SqlValue[])) as readonly Row[],
  };
  const read = async (): Promise<Migration> => {
    await connection.connect();
    for (const { key, column } of columns) await requireColumn(session, column, key, type);
    return plan(
      session,
      columns.map(({ column }) => column),
    );
  };
  const late = (): Error => new Error(`The database did not answer within ${timeoutMs} ms.`);
  try {
    return await settledWithin(systemClock, timeoutMs, read(), late);
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error;
    throw safeCopy(error, credentialsIn(options).redaction);
  } finally {
    connection.abandon();
  }
}

/** A reference without a foreign key can be named like a key: only a column that counts stops counting. */
function columnOf(key: string, type: string): DeclaredColumn {
  const [name, tableName, place, ...rest] = key.split('.').toReversed();
  if (name && tableName && place !== '' && rest.length === 0) {
    const isPostgres = type === 'postgres';
    return {
      database: isPostgres ? undefined : place,
      schema: isPostgres ? place : undefined,
      tableName,
      name,
      isKey: true,
    };
  }
  const remedy = 'Name each key as TABLE.COLUMN or SCHEMA.TABLE.COLUMN, e.g. --keys orders.id lines.id.';
  throw new InvalidOptionError('--keys', key, 'names no column of a table', remedy);
}

async function requireColumn(
  session: CatalogSession,
  { database, schema, tableName, name }: DeclaredColumn,
  key: string,
  type: string,
): Promise<void> {
  const quote = QUOTES[type] ?? '`';
  const quoted = (part: string): string => `${quote}${part.replaceAll(quote, quote + quote)}${quote}`;
  const table = [database ?? schema, tableName].flatMap((part) => part ?? []).map(quoted);
  try {
    await session.query(`SELECT ${quoted(name)} FROM ${table.join('.')} LIMIT 0`);
  } catch (error) {
    const remedy =
      'Correct the name. It is case-sensitive on PostgreSQL, and names a column, not a property.';
    throw new InvalidOptionError('--keys', key, `can't be read: ${safeReason(error)}`, remedy);
  }
}
