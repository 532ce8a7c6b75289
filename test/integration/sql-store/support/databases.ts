import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseFor } from '../../../support/servers/index.js';

export const KINDS = ['SQLite', 'PostgreSQL', 'MariaDB'] as const;
export type Kind = (typeof KINDS)[number];

/** An empty database, and a connection to it for the test itself. */
export interface TestDatabase {
  readonly options: DataSourceOptions;
  readonly admin: DataSource;
  remove(): Promise<void>;
}

export async function makeDatabase(kind: Kind, test: string): Promise<TestDatabase> {
  if (kind !== 'SQLite') {
    const url = await databaseFor(kind === 'MariaDB' ? 'mariadb' : 'postgres', test);
    const options: DataSourceOptions =
      kind === 'MariaDB' ? { type: 'mariadb', url } : { type: 'postgres', url };
    return describe(options, () => undefined);
  }
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-sql-'));
  return describe(sqliteOptions(join(folder, 'ids.sqlite')), () => rmSync(folder, { recursive: true }));
}

export function sqliteOptions(database: string): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    driver: libsql,
    database,
    prepareDatabase,
    enableWAL: true,
    timeout: 5_000,
  };
}

async function describe(options: DataSourceOptions, removeFiles: () => void): Promise<TestDatabase> {
  const admin = await new DataSource(options).initialize();
  return {
    options,
    admin,
    async remove() {
      await admin.destroy();
      removeFiles();
    },
  };
}
