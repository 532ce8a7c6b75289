import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import {
  createStatements,
  HOLDERS,
  type HolderName,
} from '../../../libs/snowflake-cli/src/commands/sql/tables.js';
import { databaseFor } from '../../support/servers/index.js';
import { STEP_WITHIN_MS } from './consumer.js';

export type TablesDatabase = 'postgres' | 'mariadb' | 'sqlite';

/** A database that has all tables of the library, and a number that a series has given. */
export class LibraryTables {
  private constructor(
    readonly url: string,
    readonly dataSource: DataSource,
  ) {}

  /** Gives `use` such a database. `name` tells it from those of other tests. */
  static async with(
    database: TablesDatabase,
    name: string,
    use: (tables: LibraryTables) => Promise<void>,
  ): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'snowflake-tables-'));
    const url =
      database === 'sqlite'
        ? join(folder, 'tables.db')
        : await databaseFor(database, `library tables ${name} ${database}`);
    const options: DataSourceOptions =
      database === 'sqlite'
        ? { type: 'better-sqlite3', driver: libsql, prepareDatabase, database: url }
        : { type: database, url, poolSize: 1 };
    const dataSource = await new DataSource(options).initialize();
    try {
      for (const holder of Object.keys(HOLDERS) as HolderName[])
        for (const statement of await createStatements({ database, holder }))
          if (!statement.startsWith('--')) await dataSource.query(statement);
      await dataSource.query(
        "INSERT INTO snowflake_series (series, scope, period, last_number) VALUES ('invoice', '', '2026', 1842)",
      );
      await use(new LibraryTables(url, dataSource));
    } finally {
      await dataSource.destroy();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Returns the names of the library's tables, and what the series counts up from. */
  async state(): Promise<readonly unknown[]> {
    const sqlite =
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'snowflake%' ORDER BY 1";
    const current = this.dataSource.options.type === 'postgres' ? "'public'" : 'DATABASE()';
    const others = `SELECT table_name AS name FROM information_schema.tables
      WHERE table_name LIKE 'snowflake%' AND table_schema = ${current} ORDER BY 1`;
    const list = this.dataSource.options.type === 'better-sqlite3' ? sqlite : others;
    const tables: { name: string }[] = await this.dataSource.query(list);
    const names = tables.map(({ name }) => name);
    if (!names.includes('snowflake_series')) return names;
    const [series]: { number: string | number }[] = await this.dataSource.query(
      'SELECT last_number AS number FROM snowflake_series',
    );
    return [...names, String(series?.number)];
  }
}

/** Runs the standard commands of a tool. */
type Commands<Database> = (database: Database, url: string) => Promise<unknown>;

/**
 * Declares that the tables survive the commands `asThePageSays` of a tool, and, as a control, that those of `careless` drop them. A tool
 * that keeps tables it doesn't know needs no control.
 */
export function itKeepsTheTables<Database extends TablesDatabase>(
  tool: string,
  databases: readonly Database[],
  asThePageSays: Commands<Database>,
  careless?: Commands<Database>,
): void {
  describe(`the tables of the library, when ${tool} changes the schema [promise: series]`, () => {
    it.each(databases)(
      'survive its commands on %s, with the options of the page',
      (database) =>
        LibraryTables.with(database, tool, async (tables) => {
          const before = await tables.state();
          expect(before).toHaveLength(9);
          await asThePageSays(database, tables.url);
          expect(await tables.state()).toEqual(before);
        }),
      STEP_WITHIN_MS,
    );

    if (!careless) return;
    it.each(databases)(
      'are lost to its commands on %s without them (control)',
      (database) =>
        LibraryTables.with(database, `${tool} careless`, async (tables) => {
          await careless(database, tables.url);
          expect(await tables.state()).toEqual([]);
        }),
      STEP_WITHIN_MS,
    );
  });
}
