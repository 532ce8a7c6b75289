import { memoryLeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type QueryRunner,
} from 'typeorm';
import { CodeProject } from '../code-project.js';
import { MarkdownPage } from '../markdown.js';
import { declaredColumns } from '../../../libs/snowflake-cli/src/commands/sql/declared-columns.js';
import { migrationOf } from '../../../libs/snowflake-cli/src/commands/sql/migration.js';
import { readMysql } from '../../../libs/snowflake-cli/src/commands/sql/mysql-catalog.js';
import { mysqlMigration } from '../../../libs/snowflake-cli/src/commands/sql/mysql-steps.js';
import type { Migration, StepName } from '../../../libs/snowflake-cli/src/commands/sql/steps.js';
import { runAsClient } from './client.js';
import { GuideSql, runBlock } from './guide-sql.js';
import type { CustomerRow, OrderRow, Version } from './shop-app.js';

export type Step =
  | { readonly run: string; readonly table?: string }
  /** Runs the block until it changes nothing, and the block `count` counts nothing. */
  | { readonly fill: string; readonly count: string; readonly table?: string }
  /** Generates the new keys of the rows of a table with the script of the guide. */
  | { readonly newKeys: string }
  /** Creates the sequence of the rows that the old version still inserts. */
  | { readonly sequence: true }
  | { readonly deploy: string }
  | { readonly retire: string }
  /** Runs what `nestjs-snowflake-cli sql` prints for this step. */
  | { readonly print: StepName }
  /** SQL that a guide doesn't have, of a control. */
  | { readonly sql: string };

/** A migration as a guide has it, in the order of its sections. */
export interface Plan {
  readonly name: string;
  readonly kind: 'postgres' | 'mariadb';
  /** The tables before. */
  readonly tables: readonly string[];
  readonly versions: Readonly<Record<string, Version>>;
  readonly steps: readonly Step[];
  /** The columns that hold the key and the reference afterwards. */
  readonly key: string;
  readonly reference: string;
  readonly guides: readonly GuideSql[];
  /** The scripts of a guide that gives old rows new keys. */
  readonly scripts?: Scripts;
  /** Whether the printed SQL is that for MySQL. It runs on MariaDB. */
  readonly printsForMysql?: boolean;
  /** Statements that a control leaves out. */
  readonly without?: RegExp;
}

interface Scripts {
  newKeys(dataSource: DataSource, ids: SnowflakeIdMaker, table: string): Promise<void>;
  oldVersionKeys(ids: SnowflakeIdMaker): Promise<string>;
}

/** What imports into a database have claimed. */
const claims = new WeakMap<DataSource, MemoryRegistry>();

const TIMEOUT_MS = 60_000;

const AUTO_INCREMENT = MarkdownPage.read('docs/guides/migrating-from-auto-increment.md');
const FROM_UUID = MarkdownPage.read('docs/guides/migrating-from-uuid.md');
export const ONLINE = GuideSql.inFile('examples/migrate/widen-online.sql');
export const UUID = GuideSql.inFile('examples/migrate/from-uuid-postgres.sql');
export const UUID_MARIADB = GuideSql.inFile('examples/migrate/from-uuid-mariadb.sql');

/** The entities of an app whose keys the database makes. */
function oldVersion(generated: 'increment' | 'uuid'): Version {
  const key = generated === 'uuid' ? String : Number;

  @Entity('customers')
  class Customer implements CustomerRow {
    @PrimaryGeneratedColumn(generated as 'uuid') id!: string | number;
    @Column() name!: string;
  }

  @Entity('orders')
  class Order implements OrderRow {
    @PrimaryGeneratedColumn(generated as 'uuid') id!: string | number;
    @Column() reference!: string;
    @Column({ name: 'customer_id', type: key }) customerId!: string | number;
    @ManyToOne(() => Customer)
    @JoinColumn({ name: 'customer_id' })
    customer?: Customer;
  }

  return { Customer, Order };
}

export const NUMBERS = oldVersion('increment');
const UUIDS = oldVersion('uuid');

/** The entities of the new versions, and the scripts that give old rows new keys. */
interface GuideCode {
  readonly bridge: Version;
  readonly auto: Version;
  readonly uuid: Version;
  readonly number: Version;
  readonly scripts: Scripts;
}

/** The TypeScript of the guides. */
export class GuideEntities {
  readonly projects = {
    auto: new CodeProject([
      ...AUTO_INCREMENT.blocksIn('ts'),
      { language: 'ts', text: snowflakeVersion(AUTO_INCREMENT) },
    ]),
    uuid: new CodeProject(FROM_UUID.blocksIn('ts')),
    /** As the guide changes the entities for `serial` keys. */
    number: new CodeProject(
      FROM_UUID.blocksIn('ts').map(({ language, text }) => ({
        language,
        text: text.replaceAll("type: 'uuid'", "type: 'int'").replaceAll('uuid!: string', 'oldId!: number'),
      })),
    ),
  };

  async code(): Promise<GuideCode> {
    const [bridge, auto, uuid, number, newKeys, oldVersionKeys] = await Promise.all([
      this.projects.auto.import<Version>('bridge.entities.ts'),
      this.projects.auto.import<Version>('snowflake.entities.ts'),
      this.projects.uuid.import<Version>('orders.entities.ts'),
      this.projects.number.import<Version>('orders.entities.ts'),
      this.projects.uuid.import<Pick<Scripts, 'newKeys'>>('new-keys.ts'),
      this.projects.uuid.import<Pick<Scripts, 'oldVersionKeys'>>('old-version-keys.ts'),
    ]);
    const scripts = { ...newKeys, ...oldVersionKeys };
    const making = (version: Version): Version => ({ ...version, makesIds: true });
    return { bridge, auto: making(auto), uuid: making(uuid), number: making(number), scripts };
  }
}

/** The entities of the bridge version with the guide's diff applied. */
function snowflakeVersion(page: MarkdownPage): string {
  const ofEntities = page.blocksIn('diff').find(({ text: diff }) => diff.includes('@SnowflakeId()'))!;
  const lines = ofEntities.text.split('\n');
  let text = page.blocksIn('ts').find((block) => block.text.startsWith('// bridge.entities.ts'))!.text;
  lines.forEach((line, at) => {
    if (!line.startsWith('-')) return;
    const [before, after] = [line.slice(1).trim(), lines[at + 1]!.slice(1).trim()];
    if (!text.includes(before)) throw new Error(`The bridge version has no ${before}`);
    text = text.replaceAll(before, after);
  });
  return text
    .replace(', PrimaryGeneratedColumn }', ' }')
    .replace(
      '// bridge.entities.ts',
      "// snowflake.entities.ts\nimport { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';",
    );
}

const KINDS = ['postgres', 'mariadb'] as const;
const NAMES = { postgres: 'PostgreSQL', mariadb: 'MariaDB' };
const TEXT = { postgres: 'varchar', mariadb: 'varchar(255)' };
const COUNTED = { postgres: 'SERIAL PRIMARY KEY', mariadb: 'int NOT NULL AUTO_INCREMENT PRIMARY KEY' };
const UUID_KEY = {
  postgres: 'uuid DEFAULT gen_random_uuid() PRIMARY KEY',
  mariadb: 'uuid NOT NULL PRIMARY KEY',
};

/** The tables that TypeORM makes for the old version. */
function tablesOf(kind: Plan['kind'], key: string, reference: string, more = ''): string[] {
  return [
    `CREATE TABLE customers (id ${key}, name ${TEXT[kind]} NOT NULL${more})`,
    `CREATE TABLE orders (id ${key}, reference ${TEXT[kind]} NOT NULL, customer_id ${reference} NOT NULL${more}, ` +
      'CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id))',
  ];
}

const DEPLOYS: Step[] = [
  { deploy: 'bridge' },
  { retire: 'old' },
  { deploy: 'snowflake' },
  { retire: 'bridge' },
];

export function plansOf({ bridge, auto, uuid, number, scripts }: GuideCode): Plan[] {
  const counted = {
    versions: { old: NUMBERS, bridge, snowflake: auto },
    key: 'id',
    reference: 'customer_id',
  };
  const created = {
    postgres: ', created_at timestamptz NOT NULL DEFAULT now()',
    mariadb: ', created_at datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)',
  };
  const replaced = (kind: Plan['kind']) => ({
    kind,
    scripts,
    guides: [kind === 'postgres' ? UUID : UUID_MARIADB],
    key: 'snowflake_id',
    reference: 'customer_snowflake_id',
    steps: [
      { sequence: true as const },
      ...(kind === 'mariadb' ? [{ run: 'session' }] : []),
      { run: 'customers: add' },
      { run: 'list' },
      { newKeys: 'customers' },
      { fill: 'fill', count: 'count' },
      { run: 'prepare' },
      { run: 'orders: add' },
      { run: 'list', table: 'orders' },
      { newKeys: 'orders' },
      { fill: kind === 'postgres' ? 'fill' : 'orders: fill', count: 'count', table: 'orders' },
      { run: 'prepare', table: 'orders' },
      { run: 'orders: refer' },
      { deploy: 'snowflake' },
      { retire: 'old' },
      ...(kind === 'mariadb' ? [{ run: 'drop' }] : []),
      { run: 'swap' },
    ],
  });
  return [
    ...KINDS.map((kind): Plan => ({
      ...counted,
      name: `from auto-increment on ${NAMES[kind]}`,
      kind,
      guides: [],
      tables: tablesOf(kind, COUNTED[kind], 'int'),
      steps: [{ print: 'widen' }, ...DEPLOYS, { print: 'stop-counting' }],
    })),
    {
      ...counted,
      name: 'from auto-increment with the SQL for MySQL, on MariaDB',
      kind: 'mariadb',
      guides: [],
      printsForMysql: true,
      tables: tablesOf('mariadb', COUNTED.mariadb, 'int'),
      steps: [
        { retire: 'old' },
        { print: 'widen' },
        { deploy: 'bridge' },
        { retire: 'bridge' },
        { print: 'stop-counting' },
        { deploy: 'snowflake' },
      ],
    },
    {
      ...counted,
      name: 'from auto-increment on PostgreSQL, of large tables',
      kind: 'postgres',
      guides: [ONLINE],
      tables: tablesOf('postgres', COUNTED.postgres, 'int'),
      steps: [
        { run: 'session' },
        ...['customers', 'orders'].flatMap((table): Step[] => [
          { run: `${table}: add` },
          { run: 'find', table },
          { fill: 'fill', count: 'count', table },
          { run: `${table}: prepare` },
        ]),
        { run: 'swap' },
        ...DEPLOYS,
        { print: 'stop-counting' },
      ],
    },
    ...KINDS.map((kind): Plan => ({
      ...replaced(kind),
      name: `from UUIDs on ${NAMES[kind]}`,
      versions: { old: UUIDS, snowflake: uuid },
      tables: tablesOf(kind, UUID_KEY[kind], 'uuid', created[kind]),
    })),
    {
      ...replaced('postgres'),
      name: 'from auto-increment to new keys on PostgreSQL',
      versions: { old: NUMBERS, snowflake: number },
      tables: tablesOf('postgres', COUNTED.postgres, 'int', created.postgres),
      without: /gen_random_uuid/,
    },
  ];
}

/** Runs a step of one of the guides, except a deployment. */
export async function runStep(session: QueryRunner, plan: Plan, step: Step): Promise<void> {
  if ('print' in step) await runPrinted(session.dataSource.options, plan, step.print);
  if ('run' in step) await runBlock(session, statementsOf(plan, step.run, step.table));
  if ('sql' in step) await runBlock(session, [step.sql]);
  if ('newKeys' in step) await runScript(session, plan, step.newKeys);
  if ('sequence' in step) await runScript(session, plan);
  if (!('fill' in step)) return;
  for (;;) {
    while ((await runBlock(session, statementsOf(plan, step.fill, step.table))).changed > 0);
    const { rows } = await runBlock(session, statementsOf(plan, step.count, step.table));
    if (Number(Object.values(rows[0]!)[0]) === 0) return;
  }
}

async function runScript({ dataSource }: QueryRunner, { scripts }: Plan, table?: string): Promise<void> {
  const registry = claims.get(dataSource) ?? new MemoryRegistry();
  claims.set(dataSource, registry);
  // Imports get the last worker IDs. The apps of the specs have fixed ones from 0 on.
  const store = memoryLeaseStore({ registry });
  const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
  await ids.start();
  if (table !== undefined) await scripts!.newKeys(dataSource, ids, table);
  else await dataSource.query(await scripts!.oldVersionKeys(ids));
  await ids.stop();
}

async function runPrinted(options: DataSourceOptions, plan: Plan, step: StepName): Promise<void> {
  const migration = await printedBy(plan, options);
  await runAsClient(
    options,
    migration[step].forward.filter((statement) => plan.without?.test(statement) !== true),
  );
}

/** What the command prints for the tables as they are. */
export async function printedBy(plan: Plan, options: DataSourceOptions): Promise<Migration> {
  const { Customer, Order } = plan.versions.snowflake!;
  const described = { ...options, entities: [Customer, Order] } as DataSourceOptions;
  if (!plan.printsForMysql) return migrationOf(described, TIMEOUT_MS);
  const dataSource = await new DataSource(described).initialize();
  const runner = dataSource.createQueryRunner();
  try {
    const query = async <Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> =>
      (await runner.query(sql, parameters?.slice())) as Row[];
    const schema = await readMysql({ query }, declaredColumns(dataSource));
    return mysqlMigration({ ...schema, isMariaDb: false });
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

function statementsOf({ guides, without }: Plan, title: string, table = 'customers'): string[] {
  const guide = guides.find((each) => each.has(title));
  if (guide === undefined) throw new Error(`No guide has a block "${title}"`);
  const statements = guide.statements(title, title.includes(': ') ? undefined : table);
  return statements.filter((statement) => without?.test(statement) !== true);
}
