import { existsSync, writeFileSync } from 'node:fs';
import libsql from 'libsql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { migrationOf } from '../src/commands/sql/migration.js';
import { blog, optionsOf, seed, TABLES } from '../../../test/docs/migration/blog.js';
import { databaseFor } from '../../../test/support/servers/index.js';
import { Files, operateSeveral, PASSWORD_IN_URL } from './operator.js';

const files = new Files();
afterAll(() => files.remove());

/** The DataSource of a version whose keys are Snowflake IDs. */
function dataSourceFile(options: string): string {
  const reference = `{ type: 'many-to-one', target: 'Customer', joinColumn: { name: 'customer_id' }, onDelete: 'CASCADE' }`;
  return files.options(`{ ${options}, entities: [
    new EntitySchema({ name: 'Customer', tableName: 'customers', columns: { id: snowflakeIdColumn() } }),
    new EntitySchema({ name: 'Order', tableName: 'orders', columns: { id: snowflakeIdColumn() },
      relations: { customer: ${reference} } }),
  ].map(snowflakeSchema), synchronize: true }`);
}

describe('nestjs-snowflake sql', () => {
  it('prints the SQL of both steps and of their ways back, and changes nothing itself', async () => {
    const url = await databaseFor('postgres', 'sql of a migration');
    const dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
    const file = dataSourceFile(`type: 'postgres', url: '${url}'`);
    const sql = (...args: string[]) => ['sql', ...args, '--data-source', file];
    const typesOf = (): Promise<object[]> =>
      dataSource.query(
        `SELECT table_name, column_name, data_type, column_default FROM information_schema.columns
         WHERE table_schema = 'public' ORDER BY 1, 2`,
      );
    await dataSource.query('CREATE TABLE customers (id serial PRIMARY KEY)');
    await dataSource.query(
      `CREATE TABLE orders (id serial PRIMARY KEY, customer_id int,
       CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE CASCADE)`,
    );
    const before = await typesOf();
    const [widen, narrow] = await operateSeveral(sql('widen'), sql('widen', '--back'));
    expect([widen?.code, narrow?.code]).toEqual([0, 0]);
    await expect(typesOf()).resolves.toEqual(before);

    await dataSource.query(widen!.stdout);
    await expect(typesOf()).resolves.toEqual(before.map((column) => ({ ...column, data_type: 'bigint' })));
    await dataSource.query(narrow!.stdout);
    await expect(typesOf()).resolves.toEqual(before);
    await dataSource.query(widen!.stdout);
    const wide = await typesOf();
    const [stop, count, again] = await operateSeveral(
      sql('stop-counting'),
      sql('stop-counting', '--back'),
      sql('widen'),
    );
    expect(again).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/nothing/i) });
    await dataSource.query(stop!.stdout);
    await expect(dataSource.query('INSERT INTO orders DEFAULT VALUES')).rejects.toThrow(/null/);
    await dataSource.query(count!.stdout);
    await expect(typesOf()).resolves.toEqual(wide);
    await dataSource.destroy();
  });

  const sqlite = (file: string) =>
    ({ type: 'better-sqlite3', driver: libsql, prepareDatabase, database: file }) as const;

  it('prints statements for SQLite that make each table anew with all rows, references, indexes and views', async () => {
    const options = sqlite(files.path('blog.db'));
    const old = await new DataSource(optionsOf(blog('old', 'better-sqlite3'), options, true)).initialize();
    for (const statement of seed('better-sqlite3', 20)) await old.query(statement);
    await old.query(
      'CREATE VIEW written AS SELECT u.name, a.title FROM "user" u JOIN article a ON a."authorId" = u.id',
    );
    await old.query(
      "CREATE TRIGGER tagged AFTER INSERT ON article BEGIN INSERT INTO tag VALUES (NEW.id + 100, 'new'); END",
    );
    const rows = async (): Promise<string[]> => {
      const all: string[] = [];
      for (const table of [...TABLES, 'written']) {
        const found: object[] = await old.query(`SELECT * FROM "${table}"`);
        all.push(...found.map((row) => `${table} ${Object.values(row).join()}`));
      }
      return all.toSorted();
    };
    const names = async (): Promise<unknown[]> =>
      old.query("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2");
    const [before, objects] = [await rows(), await names()];

    const version = optionsOf(blog('snowflake', 'better-sqlite3'), options);
    const { widen } = await migrationOf(version, 30_000);
    for (const statement of widen.forward) {
      const broken: unknown = await old.query(statement);
      if (statement === 'PRAGMA foreign_key_check') expect(broken).toEqual([]);
    }

    await expect(rows()).resolves.toEqual(before);
    await expect(names()).resolves.toEqual(objects);
    await expect(old.query('INSERT INTO article (title) VALUES (1)')).rejects.toThrow(/NOT NULL/);
    const comments = (): Promise<unknown[]> => old.query('SELECT * FROM comment WHERE "articleId" = 4');
    await expect(comments()).resolves.not.toEqual([]);
    await old.query('DELETE FROM article WHERE id = 4');
    await expect(comments()).resolves.toEqual([]);
    await expect(migrationOf(version, 30_000)).resolves.toMatchObject({ widen: { forward: [], back: [] } });
    await old.destroy();
  });

  it('refuses a database that it can’t plan for, and shows no password', async () => {
    const [missing, empty] = [files.path('missing.db'), files.path('empty.db')];
    writeFileSync(empty, '');
    const sources = [
      "type: 'oracle'",
      `type: 'postgres', url: 'postgres://me:${PASSWORD_IN_URL}@127.0.0.1:1/shop'`,
      `type: 'better-sqlite3', driver: libsql, database: '${missing}'`,
    ].map(dataSourceFile);
    const withoutEntities = files.options(`{ type: 'better-sqlite3', driver: libsql, database: '${empty}' }`);
    const ends = await operateSeveral(
      ...[...sources, withoutEntities].map((file) => ['sql', 'widen', '--data-source', file]),
    );

    expect(ends.map(({ code }) => code)).toEqual([2, 1, 2, 2]);
    expect(ends.map(({ stdout }) => stdout)).toEqual(ends.map(() => ''));
    expect(ends[0]?.stderr).toContain('oracle');
    expect(ends[3]?.stderr).toContain('@SnowflakeId()');
    expect(existsSync(missing)).toBe(false);
    expect(ends[1]?.stderr).toContain('ECONNREFUSED');
  });
});
