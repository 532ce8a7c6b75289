import { existsSync, writeFileSync } from 'node:fs';
import libsql from 'libsql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { migrationOf } from '../src/commands/sql/migration.js';
import { blog, optionsOf, seed, TABLES } from './blog.js';
import { databaseFor } from '../../../test/support/servers/index.js';
import { Files, operate, operateSeveral, PASSWORD_IN_URL } from './operator.js';

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

/** The statements of a printed file, without its comments. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\n/)
    .filter((statement) => statement.trim() !== '');
}

describe('nestjs-snowflake-cli sql', () => {
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

  it.each(['postgres', 'mariadb'] as const)(
    'plans both steps from the catalog of %s, for an app without TypeORM',
    async (type) => {
      const url = await databaseFor(type, 'sql of a migration without TypeORM');
      const dataSource = await new DataSource({ type, url, poolSize: 1 }).initialize();
      const counting = type === 'postgres' ? 'serial' : 'int AUTO_INCREMENT';
      await dataSource.query(`CREATE TABLE customers (id ${counting} PRIMARY KEY, name text)`);
      await dataSource.query(
        `CREATE TABLE orders (id ${counting} PRIMARY KEY, customer_id int, partner_id int,
         CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id))`,
      );
      await dataSource.query("INSERT INTO customers (name) VALUES ('ann')");
      await dataSource.query('INSERT INTO orders (customer_id, partner_id) VALUES (1, 7)');
      const modify = 'ALTER TABLE customers MODIFY id bigint NOT NULL';
      // What the tools of other ORMs run (control).
      if (type === 'mariadb') await expect(dataSource.query(modify)).rejects.toMatchObject({ errno: 1833 });

      const sql = (...args: string[]) =>
        operate([
          'sql',
          ...args,
          '--database',
          url,
          '--keys',
          'customers.id',
          'orders.id',
          'orders.partner_id',
        ]);
      const session = dataSource.createQueryRunner();
      const run = async ({ stdout, stderr }: { stdout: string; stderr: string }): Promise<void> => {
        expect(stderr).toBe('');
        for (const statement of statementsOf(stdout)) await session.query(statement);
      };
      const typesOf = async (): Promise<string[]> => {
        const rows: { type: string }[] = await session.query(
          `SELECT data_type AS type FROM information_schema.columns
           WHERE table_name IN ('customers', 'orders') AND column_name LIKE '%id'
             AND table_schema = ${type === 'postgres' ? "'public'" : 'DATABASE()'}`,
        );
        return rows.map((row) => row.type);
      };
      const back = await sql('widen', '--back');
      await run(await sql('widen'));
      expect(await typesOf()).toEqual(Array.from({ length: 4 }, () => 'bigint'));
      await session.query("INSERT INTO customers (name) VALUES ('bob')");
      await session.query(`INSERT INTO customers (id, name) VALUES (${2n ** 60n}, 'eve')`);
      await run(await sql('stop-counting'));
      await expect(session.query("INSERT INTO customers (name) VALUES ('tom')")).rejects.toThrow(/id/);
      await expect(run(back)).rejects.toThrow(/range/);
      await session.release();
      await dataSource.destroy();
    },
  );

  it('plans from the catalog of a SQLite file, and follows its references', async () => {
    const file = files.path('shop.db');
    const database = new libsql(file);
    database.exec('CREATE TABLE customers (id integer PRIMARY KEY AUTOINCREMENT, name text)');
    database.exec('CREATE TABLE orders (id integer PRIMARY KEY, customer_id int REFERENCES customers)');
    database.exec("INSERT INTO customers (name) VALUES ('ann')");
    const { stdout, code } = await operate([
      'sql',
      'widen',
      '--database',
      `sqlite:${file}`,
      '--keys',
      'customers.id',
    ]);
    expect(code).toBe(0);
    database.exec(stdout);
    const types = database.prepare("SELECT lower(type) AS type FROM pragma_table_info('orders')").all();
    expect(types).toEqual([{ type: 'integer' }, { type: 'bigint' }]);
    expect(() => database.exec("INSERT INTO customers (name) VALUES ('bob')")).toThrow(/NOT NULL/);
    database.close();
  });

  it('names a key that the database does not have, and flags that contradict each other', async () => {
    const url = await databaseFor('postgres', 'sql of missing keys');
    const file = files.path('missing-too.db');
    const wrong: [string[], RegExp][] = [
      [['--database', url, '--keys', 'orders.id'], /--keys .*orders/],
      [['--database', url, '--keys', 'id'], /--keys .*TABLE\.COLUMN/],
      [['--database', url], /--keys is missing/],
      [['--keys', 'orders.id'], /--data-source is missing/],
      [['--database', `sqlite:${file}`, '--keys', 'orders.id'], /does not exist/],
      [['--database', `postgres://me:${PASSWORD_IN_URL}@127.0.0.1:1/shop`, '--keys', 'orders.id'], /ECONN/],
    ];
    for (const [flags, problem] of wrong) {
      const { code, stdout, stderr } = await operate(['sql', 'widen', ...flags]);
      expect({ code, stdout }).toEqual({ code: /ECONN/.test(stderr) ? 1 : 2, stdout: '' });
      expect(stderr).toMatch(problem);
    }
    expect(existsSync(file)).toBe(false);
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

  it('prints a default for PostgreSQL that can be created and dropped, and none for other databases', async () => {
    const url = await databaseFor('postgres', 'sql default');
    const dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
    const sql = (...args: string[]) => ['sql', 'default', '--dialect', ...args];
    const [tables, create, drop, maria, unnamed] = await operateSeveral(
      ['sql', 'tables', '--dialect', 'postgres'],
      sql('postgres', '--namespace', 'shop', '--layout', 'sonyflake', '--epoch', '2025-01-01T00:00:00Z'),
      sql('postgres', '--back'),
      sql('mariadb', '--namespace', 'shop'),
      sql('postgres'),
    );
    await expect(dataSource.query(create!.stdout)).rejects.toMatchObject({ code: '42P01' });
    await dataSource.query(tables!.stdout);
    for (let round = 0; round < 2; round++) {
      await dataSource.query(create!.stdout);
      await expect(dataSource.query('SELECT snowflake.id()')).rejects.toMatchObject({ code: '55000' });
      await dataSource.query(drop!.stdout);
    }
    expect(maria).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--dialect') });
    expect(unnamed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--namespace') });
    await dataSource.destroy();
  });
});
