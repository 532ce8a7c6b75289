import { join } from 'node:path';
import libsql from 'libsql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrationOfDatabase } from '../../../../libs/snowflake-cli/src/commands/sql/database-migration.js';
import {
  createStatements,
  HOLDERS,
  type HolderName,
} from '../../../../libs/snowflake-cli/src/commands/sql/tables.js';
import { databaseFor } from '../../../support/servers/index.js';
import { Consumer, STEP_WITHIN_MS } from '../../consumers/consumer.js';
import { nodeBinary } from '../../node-binary.js';
import { packLibrary } from '../packaging/packed-library.js';

type Database = 'postgres' | 'mariadb' | 'sqlite';
const MIKRO_ORM = { 'MikroORM 6': '6.6.16', 'MikroORM 7': '7.2.1' } as const;
type Tool = keyof typeof MIKRO_ORM | 'Drizzle' | 'Sequelize' | 'Knex' | 'TypeORM';

/** As the page says: those that drop what they don't know, unless an option names the tables. */
const DROPPING: readonly (readonly [Tool, Database])[] = [
  ['MikroORM 6', 'postgres'],
  ['MikroORM 6', 'mariadb'],
  ['MikroORM 6', 'sqlite'],
  ['MikroORM 7', 'postgres'],
  ['Drizzle', 'postgres'],
  ['Drizzle', 'mariadb'],
];
/** The control of TypeORM is dropSchema. */
const KEEPING: readonly (readonly [Tool, Database])[] = [
  ['Sequelize', 'postgres'],
  ['Sequelize', 'mariadb'],
  ['Knex', 'postgres'],
  ['Knex', 'mariadb'],
  ['TypeORM', 'postgres'],
  ['TypeORM', 'mariadb'],
];

const KIT = ['migrations', 'postgresql', 'mariadb', 'libsql'];
let node22: string;
let app: Consumer;
let app7: Consumer;

beforeAll(async () => {
  node22 = await nodeBinary(22);
  const { path } = await packLibrary();
  app = new Consumer('schema-tools');
  app7 = new Consumer('schema-tools');
  const packages = (version: string, ...more: string[]) =>
    ['core', ...KIT, ...more].map((name) => `@mikro-orm/${name}@${version}`);
  await app.install(path, ...packages(MIKRO_ORM['MikroORM 6'], 'knex'));
  await app7.install(path, ...packages(MIKRO_ORM['MikroORM 7'], 'sql'), 'kysely@0.29.6');
}, 2 * STEP_WITHIN_MS);
afterAll(() => {
  app?.remove();
  app7?.remove();
});

/** Runs the standard commands of a tool. */
async function run(tool: Tool, database: Database, url: string, ...mode: string[]): Promise<string> {
  const script = tool in MIKRO_ORM ? 'mikro-orm' : tool.toLowerCase();
  const node = tool === 'MikroORM 7' ? node22 : process.execPath;
  const consumer = tool === 'MikroORM 7' ? app7 : app;
  return (await consumer.run(node, `${script}.mjs`, database, url, ...mode)).stdout;
}

/** A database that has all tables of the library, and a number that a series has given. */
class LibraryTables {
  private constructor(
    readonly url: string,
    readonly dataSource: DataSource,
  ) {}

  static async in(database: Database, ...name: string[]): Promise<LibraryTables> {
    const words = ['schema tools', ...name].join(' ');
    const url =
      database === 'sqlite'
        ? join(app.folder, `${words.replaceAll(' ', '-')}.db`)
        : await databaseFor(database, words);
    const options: DataSourceOptions =
      database === 'sqlite'
        ? { type: 'better-sqlite3', driver: libsql, prepareDatabase, database: url }
        : { type: database, url, poolSize: 1 };
    const dataSource = await new DataSource(options).initialize();
    for (const holder of Object.keys(HOLDERS) as HolderName[])
      for (const statement of await createStatements({ database, holder }))
        if (!statement.startsWith('--')) await dataSource.query(statement);
    await dataSource.query(
      "INSERT INTO snowflake_series (series, scope, period, last_number) VALUES ('invoice', '', '2026', 1842)",
    );
    return new LibraryTables(url, dataSource);
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

async function withTables(
  database: Database,
  name: readonly string[],
  use: (tables: LibraryTables) => Promise<void>,
): Promise<void> {
  const tables = await LibraryTables.in(database, ...name);
  await use(tables).finally(() => tables.dataSource.destroy());
}

describe('the tables of the library [promise: series]', () => {
  it.each([...DROPPING, ...KEEPING])(
    'survive the commands of %s on %s, with the options of the page',
    (tool, database) =>
      withTables(database, [tool, database], async (tables) => {
        const before = await tables.state();
        expect(before).toHaveLength(9);
        await run(tool, database, tables.url);
        expect(await tables.state()).toEqual(before);
      }),
    STEP_WITHIN_MS,
  );

  it.each([...DROPPING, ['TypeORM', 'postgres'], ['TypeORM', 'mariadb']] as const)(
    'are lost to %s on %s without them (control)',
    (tool, database) =>
      withTables(database, [tool, database, 'careless'], async (tables) => {
        // Otherwise, Drizzle asks whether a table of the library has been renamed.
        if (tool === 'Drizzle') await run(tool, database, tables.url);
        await run(tool, database, tables.url, 'careless');
        expect(await tables.state()).toEqual([]);
      }),
    STEP_WITHIN_MS,
  );
});

describe('keys that the database has numbered so far', () => {
  it.each([
    ['MikroORM 6', 'postgres'],
    ['MikroORM 6', 'mariadb'],
    ['MikroORM 7', 'postgres'],
  ] as const)(
    'are what %s on %s declares after each step that the command line has printed',
    (tool, database) =>
      withTables(database, [tool, database, 'numbered'], async ({ url, dataSource }) => {
        const id = database === 'postgres' ? 'serial' : 'int unsigned NOT NULL AUTO_INCREMENT';
        const onUpdate = tool === 'MikroORM 6' ? 'ON UPDATE CASCADE' : '';
        const reference = database === 'postgres' ? 'int' : 'int unsigned';
        await dataSource.query(`CREATE TABLE customers (id ${id}, PRIMARY KEY (id))`);
        await dataSource.query(
          `CREATE TABLE orders (id ${id}, customer_id ${reference} NOT NULL, PRIMARY KEY (id),
           CONSTRAINT orders_customer_id_foreign FOREIGN KEY (customer_id) REFERENCES customers (id) ${onUpdate})`,
        );
        if (database === 'mariadb')
          await dataSource.query('CREATE INDEX orders_customer_id_index ON orders (customer_id)');
        const diff = async (mode: string): Promise<string[]> =>
          JSON.parse(await run(tool, database, url, mode)) as string[];
        // Without the printed step, the tool changes the type itself (control).
        expect((await diff('bridge')).join()).toMatch(/bigint/);
        const session = dataSource.createQueryRunner();
        const step = async (name: 'widen' | 'stop-counting'): Promise<void> => {
          const migration = await migrationOfDatabase(url, ['customers.id', 'orders.id'], STEP_WITHIN_MS);
          for (const statement of migration[name].forward)
            if (!statement.startsWith('--')) await session.query(statement);
        };
        await step('widen');
        expect(await diff('bridge')).toEqual([]);
        await step('stop-counting');
        expect(await diff('final')).toEqual([]);
        await session.release();
      }),
    STEP_WITHIN_MS,
  );
});
