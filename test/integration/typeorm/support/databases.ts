import libsql from 'libsql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseFor } from '../../../support/servers/index.js';

export type Kind = 'sqlite' | 'postgres' | 'mariadb';

export const KINDS: readonly Kind[] = ['sqlite', 'postgres', 'mariadb'];

/** How an app would write its options for a fresh database of that kind. */
export async function optionsFor(kind: Kind, testName: string): Promise<DataSourceOptions> {
  if (kind === 'sqlite') {
    return { type: 'better-sqlite3', driver: libsql, database: ':memory:', prepareDatabase };
  }
  // One connection: one that is not given back stops the test.
  return { type: kind, url: await databaseFor(kind, testName), poolSize: 1 };
}

/** A DataSource on a fresh database with the tables of the entities, not yet initialized. */
export async function dataSourceFor(
  kind: Kind,
  testName: string,
  extra: Pick<DataSourceOptions, 'entities' | 'subscribers' | 'logger' | 'logging'>,
): Promise<DataSource> {
  return new DataSource({ ...(await optionsFor(kind, testName)), ...extra, synchronize: true });
}

/** MySQL's driver as well, on MariaDB: TypeORM knows no RETURNING for it. */
export const DRIVERS: readonly (Kind | 'mysql')[] = [...KINDS, 'mysql'];

/** {@link dataSourceFor} a driver. */
export async function dataSourceOf(
  driver: Kind | 'mysql',
  testName: string,
  extra: Pick<DataSourceOptions, 'entities' | 'subscribers' | 'logger' | 'logging'>,
): Promise<DataSource> {
  const options = await optionsFor(driver === 'mysql' ? 'mariadb' : driver, testName);
  const url = 'url' in options ? options.url?.replace(/^mariadb:/, `${driver}:`) : undefined;
  const changed = driver === 'mysql' ? { type: driver, url } : {};
  return new DataSource(Object.assign({}, options, changed, extra, { synchronize: true }));
}
