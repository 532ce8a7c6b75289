import { existsSync } from 'node:fs';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { safeCopy } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { credentialsIn } from 'nestjs-snowflake/internal/kit/credentials';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { InvalidOptionError, systemClock } from 'nestjs-snowflake/core';
import { passiveOptions } from '../../settings/orm-options.js';
import { type CatalogSession, type Plan, PLANS } from './catalog.js';
import { declaredColumns } from './declared-columns.js';
import type { Migration } from './steps.js';

/**
 * Reads the schema of an app's database, and plans how its auto-increment keys and all references to them become Snowflake
 * keys. Changes nothing.
 *
 * @param options the DataSource of the version with `@SnowflakeId()`
 * @throws InvalidOptionError if the DataSource is of another type or its file is missing, or no entity has a Snowflake column
 */
export async function migrationOf(options: DataSourceOptions, timeoutMs: number): Promise<Migration> {
  const { type } = options;
  const plan = PLANS[type];
  if (plan === undefined) {
    const remedy = 'Use a DataSource of PostgreSQL, MariaDB, MySQL or SQLite (better-sqlite3).';
    throw new InvalidOptionError(
      '--data-source',
      type,
      'is of a type that this command does not support',
      remedy,
    );
  }
  // Connecting would create the file.
  if (type === 'better-sqlite3' && !existsSync(options.database)) {
    const remedy = 'Correct its path, or run the command in the folder to which the path is relative.';
    throw new InvalidOptionError(
      '--data-source',
      options.database,
      'names a file that does not exist',
      remedy,
    );
  }
  const dataSource = new DataSource(passiveOptions(options));
  const late = (): Error => new Error(`The database did not answer within ${timeoutMs} ms.`);
  try {
    return await settledWithin(systemClock, timeoutMs, read(dataSource, plan), late);
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error;
    throw safeCopy(error, credentialsIn(options).redaction);
  } finally {
    if (dataSource.isInitialized) dataSource.destroy().catch(() => undefined);
  }
}

async function read(dataSource: DataSource, plan: Plan): Promise<Migration> {
  await dataSource.initialize();
  const declared = declaredColumns(dataSource);
  if (declared.length === 0) {
    const remedy = 'Pass the DataSource of the version of the app whose keys are @SnowflakeId().';
    throw new InvalidOptionError('--data-source', undefined, 'has no entity with a Snowflake column', remedy);
  }
  const runner = dataSource.createQueryRunner();
  const session: CatalogSession = {
    query: async <Row>(sql: string, parameters?: readonly unknown[]) =>
      (await runner.query(sql, parameters?.slice())) as Row[],
  };
  return plan(session, declared).finally(() => runner.release());
}
