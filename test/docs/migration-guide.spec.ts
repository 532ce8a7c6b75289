import libsql from 'libsql';
import { attachSnowflake, prepareDatabase, verifySnowflakeDataSource } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { CountingSource } from '../integration/typeorm/support/sources.js';
import { databaseFor } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';

interface Row {
  readonly id: string;
  readonly name?: string;
  readonly customerId?: string;
  readonly customer?: Row;
}

const guide = MarkdownPage.read('docs/guides/migrating-from-auto-increment.md');
const project = new CodeProject(guide.blocksIn('ts'));
const blocksRun = new Set<string>();

type Kind = 'postgres' | 'mariadb' | 'sqlite';

/** What TypeORM makes for `@PrimaryGeneratedColumn()`. */
const KEY: Record<Kind, string> = {
  postgres: 'SERIAL PRIMARY KEY',
  mariadb: 'int NOT NULL AUTO_INCREMENT PRIMARY KEY',
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL',
};

async function optionsFor(kind: Kind): Promise<DataSourceOptions> {
  if (kind === 'sqlite')
    return { type: 'better-sqlite3', driver: libsql, database: ':memory:', prepareDatabase };
  return { type: kind, url: await databaseFor(kind, 'migration guide'), poolSize: 1 };
}

/** Statements, of which none of the guide holds a semicolon other than at its end or in quotes. */
function statementsIn(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;(?=\s*\n|\s*$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

async function runBlock(dataSource: DataSource, title: string): Promise<unknown[]> {
  const block = guide.blocksIn('sql').find(({ text }) => text.startsWith(`-- ${title}\n`));
  if (block === undefined) throw new Error(`The guide has no block "${title}"`);
  blocksRun.add(title);
  const results: unknown[] = [];
  for (const statement of statementsIn(block.text)) results.push(await dataSource.query(statement));
  return results;
}

describe.each<[name: string, kind: Kind, titles: readonly string[]]>([
  ['PostgreSQL', 'postgres', ['postgres: widen', 'postgres: stop counting']],
  ['MariaDB', 'mariadb', ['mariadb: widen and stop counting']],
  ['SQLite', 'sqlite', ['sqlite: widen and stop counting']],
  [
    'PostgreSQL without a long lock',
    'postgres',
    ['postgres: 1. add', 'postgres: 2. backfill', 'postgres: 3. prepare', 'postgres: 4. swap'],
  ],
])('the migration guide for %s', (name, kind, titles) => {
  let dataSource: DataSource;
  let Customer: new () => Row, Order: new () => Row;
  const isSwap = name.endsWith('lock');

  beforeAll(async () => {
    [Customer, Order] = (await Promise.all(
      ['Customer', 'Order'].map(async (entity) => {
        const exports = await project.import<Record<string, new () => Row>>('customer.entity.ts');
        return exports[entity]!;
      }),
    )) as [new () => Row, new () => Row];
    dataSource = new DataSource({
      ...(await optionsFor(kind)),
      entities: [Customer, Order],
    } as DataSourceOptions);
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
    await dataSource.query(`CREATE TABLE customers (id ${KEY[kind]}, name varchar(50) NOT NULL)`);
    await dataSource.query(
      `CREATE TABLE orders (id ${KEY[kind]}, customer_id int NOT NULL, ` +
        'CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id))',
    );
    for (const customer of ['ann', 'bob']) {
      await dataSource.query(`INSERT INTO customers (name) VALUES ('${customer}')`);
    }
    for (const customer of [2, 1, 2])
      await dataSource.query(`INSERT INTO orders (customer_id) VALUES (${customer})`);
  });
  afterAll(() => dataSource.destroy());

  it('begins where the app does not boot', async () => {
    await expect(verifySnowflakeDataSource(dataSource)).rejects.toMatchObject({
      code: 'SNOWFLAKE_COLUMN_TYPE',
    });
  });

  it('ends where it boots, with every row and every reference', async () => {
    for (const title of titles) {
      await runBlock(dataSource, title);
      // An old process goes on in between.
      if (title === 'postgres: widen' || title === 'postgres: 1. add') {
        await dataSource.query('INSERT INTO orders (customer_id) VALUES (1)');
      }
    }
    if (isSwap) await dataSource.query('ALTER TABLE customers ALTER COLUMN id TYPE bigint');

    await expect(verifySnowflakeDataSource(dataSource)).resolves.toBeUndefined();

    const orders = await dataSource.manager.find(Order, {
      relations: { customer: true },
      order: { id: 'ASC' },
    });
    const old = ['bob', 'ann', 'bob', ...(kind === 'postgres' ? ['ann'] : [])];
    expect(orders.map(({ id }) => id)).toEqual(old.map((_, at) => String(at + 1)));
    expect(orders.map(({ customer }) => customer?.name)).toEqual(old);
    expect(orders[0]).toMatchObject({ id: '1', customerId: '2', customer: { id: '2', name: 'bob' } });
  });

  it('ends where new rows get Snowflake IDs, and refer to old and new rows', async () => {
    const { id } = await dataSource.manager.save(Customer, { name: 'eve' });
    expect(BigInt(id)).toBeGreaterThan(2n ** 53n);

    const saved = await dataSource.manager.save(Order, [
      { customerId: '1' },
      { customerId: id },
    ] as Partial<Row>[]);

    for (const { id: order } of saved as Row[]) expect(BigInt(order)).toBeGreaterThan(2n ** 53n);
    await expect(dataSource.manager.find(Order, { where: { customerId: id } })).resolves.toHaveLength(1);
    const [last] = await dataSource.manager.find(Order, { order: { id: 'DESC' } });
    expect(last).toMatchObject({ customerId: id });
  });

  it('ends where foreign keys hold and nothing counts', async () => {
    await expect(dataSource.manager.insert(Order, { customerId: '99' })).rejects.toThrow(/foreign key/i);
    if (!isSwap) {
      await expect(dataSource.query("INSERT INTO customers (name) VALUES ('without an ID')")).rejects.toThrow(
        /null|default value/i,
      );
    }
    await expect(dataSource.query('INSERT INTO orders (customer_id) VALUES (1)')).rejects.toThrow(
      /null|default value/i,
    );
  });

  it('ends where synchronize would drop nothing', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();

    expect(upQueries.filter(({ query }) => /DROP COLUMN/.test(query))).toEqual([]);
  });
});

it('an explicit ID moves the counter of MariaDB behind it', async () => {
  const dataSource = await new DataSource(await optionsFor('mariadb')).initialize();
  await dataSource.query(`CREATE TABLE counted (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY)`);
  await dataSource.query('INSERT INTO counted VALUES (1800000000000000001)');
  await dataSource.query('INSERT INTO counted VALUES ()');

  await expect(dataSource.query('SELECT MAX(id) AS id FROM counted')).resolves.toEqual([
    { id: '1800000000000000002' },
  ]);
  await dataSource.destroy();
});

it('the TypeScript of the guide compiles, and all of its SQL was run', () => {
  expect(project.problems()).toEqual([]);
  const titles = guide.blocksIn('sql').map(({ text }) => /^-- (.*)\n/.exec(text)?.[1]);
  expect([...blocksRun].sort()).toEqual(titles.sort());
  project.remove();
});
