import { readMysql } from './mysql-catalog.js';
import { mysqlMigration } from './mysql-steps.js';
import { readPostgres } from './postgres-catalog.js';
import { postgresMigration } from './postgres-steps.js';
import { readSqlite } from './sqlite-catalog.js';
import { sqliteMigration } from './sqlite-steps.js';
import type { Migration } from './steps.js';

/** A column that holds Snowflake IDs, or will hold them. */
export interface DeclaredColumn {
  readonly database: string | undefined;
  readonly schema: string | undefined;
  readonly tableName: string;
  readonly name: string;
  /** Whether the app generates the IDs of this column. */
  readonly isKey: boolean;
}

/** A connection that reads the catalog of a database. */
export interface CatalogSession {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Reads the catalog, and plans the migration of these columns and of all that foreign keys connect with them. */
export type Plan = (session: CatalogSession, declared: readonly DeclaredColumn[]) => Promise<Migration>;

const postgres: Plan = async (session, declared) => postgresMigration(await readPostgres(session, declared));
const mysql: Plan = async (session, declared) => mysqlMigration(await readMysql(session, declared));
const sqlite: Plan = async (session, declared) => sqliteMigration(await readSqlite(session, declared));

/** By the type of a DataSource, which is also that of a URL. */
export const PLANS: Readonly<Record<string, Plan>> = {
  postgres,
  'aurora-postgres': postgres,
  mysql,
  mariadb: mysql,
  'better-sqlite3': sqlite,
};
