import type { DatabaseOptions } from 'nestjs-snowflake/sql';
import { systemClock } from 'nestjs-snowflake/core';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { LEASE_TABLES } from 'nestjs-snowflake/internal/stores/sql/lease-tables';
import { means } from 'nestjs-snowflake/internal/kit/sql/errors';
import { SqlSession } from 'nestjs-snowflake/internal/kit/sql/session';

/** More than anybody reads. */
const LIMIT = 1000;

/**
 * Returns the namespaces in the tables of a store, sorted; none without the tables.
 *
 * @throws the error of the database, or an error if it does not answer in time
 */
export async function namespacesInSql(
  options: DatabaseOptions,
  tableName: string | undefined,
  timeoutMs: number,
): Promise<readonly string[]> {
  const { dialect, tables } = LEASE_TABLES.in(options, tableName);
  const connectionName = 'nestjs-snowflake namespaces';
  const session = new SqlSession({ dialect, options, connectionName, callTimeoutMs: timeoutMs });
  const list = async (): Promise<readonly string[]> => {
    await session.connect();
    const rows = await session.query(
      `SELECT namespace FROM ${tables.quoted.namespaces} WHERE namespace <> '' ORDER BY namespace LIMIT ${LIMIT}`,
    );
    return rows.map(({ namespace }) => String(namespace));
  };
  try {
    const late = (): Error => new Error(`The database did not answer within ${timeoutMs} ms.`);
    return await settledWithin(systemClock, timeoutMs, list(), late);
  } catch (error) {
    if (means(error, 'missingTable')) return [];
    throw error;
  } finally {
    session.abandon();
  }
}
