import {
  Column,
  type DataSourceOptions,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type QueryRunner,
} from 'typeorm';
import { CodeProject } from '../code-project.js';
import { MarkdownPage } from '../markdown.js';
import { migrationOf } from '../../../libs/snowflake-cli/src/commands/sql/migration.js';
import type { StepName } from '../../../libs/snowflake-cli/src/commands/sql/steps.js';
import { runAsClient } from './client.js';
import { GuideSql, runBlock } from './guide-sql.js';
import type { CustomerRow, OrderRow, Version } from './shop-app.js';

export type Step =
  | { readonly run: string; readonly table?: string }
  /** Runs the block until it changes nothing, and the block `count` counts nothing. */
  | { readonly fill: string; readonly count: string; readonly table?: string }
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
  /** Statements that a control leaves out. */
  readonly without?: RegExp;
}

const TIMEOUT_MS = 60_000;

const AUTO_INCREMENT = MarkdownPage.read('docs/guides/migrating-from-auto-increment.md');
const FROM_UUID = MarkdownPage.read('docs/guides/migrating-from-uuid.md');
/** What the page shows of the file that the command prints. */
export const PRINTED = new GuideSql(AUTO_INCREMENT.under('MariaDB'));
export const MYSQL = new GuideSql(AUTO_INCREMENT.under('MySQL'));
export const ONLINE = new GuideSql(MarkdownPage.read('docs/guides/migrating-from-auto-increment.md'));
export const UUID = new GuideSql(FROM_UUID.under('SQL for PostgreSQL'));
export const UUID_MARIADB = new GuideSql(FROM_UUID.under('SQL for MariaDB'));

@Entity('customers')
class NumberedCustomer implements CustomerRow {
  @PrimaryGeneratedColumn() id!: number;
  @Column() name!: string;
}

@Entity('orders')
class NumberedOrder implements OrderRow {
  @PrimaryGeneratedColumn() id!: number;
  @Column() reference!: string;
  @Column({ name: 'customer_id' }) customerId!: number;
  @ManyToOne(() => NumberedCustomer)
  @JoinColumn({ name: 'customer_id' })
  customer?: NumberedCustomer;
}

@Entity('customers')
class UuidCustomer implements CustomerRow {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column() name!: string;
}

@Entity('orders')
class UuidOrder implements OrderRow {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column() reference!: string;
  @Column({ name: 'customer_id' }) customerId!: string;
  @ManyToOne(() => UuidCustomer)
  @JoinColumn({ name: 'customer_id' })
  customer?: UuidCustomer;
}

export const NUMBERS: Version = { Customer: NumberedCustomer, Order: NumberedOrder };
const UUIDS: Version = { Customer: UuidCustomer, Order: UuidOrder };

/** The entities of the guides. */
export class GuideEntities {
  readonly projects = {
    auto: new CodeProject([
      ...AUTO_INCREMENT.blocksIn('ts'),
      { language: 'ts', text: snowflakeVersion(AUTO_INCREMENT) },
    ]),
    uuid: new CodeProject(FROM_UUID.blocksIn('ts')),
  };

  async versions(): Promise<Record<'bridge' | 'auto' | 'uuid', Version>> {
    const [bridge, auto, uuid] = await Promise.all([
      this.projects.auto.import<Version>('bridge.entities.ts'),
      this.projects.auto.import<Version>('snowflake.entities.ts'),
      this.projects.uuid.import<Version>('orders.entities.ts'),
    ]);
    return { bridge, auto: { ...auto, makesIds: true }, uuid: { ...uuid, makesIds: true } };
  }

  remove(): void {
    for (const project of Object.values(this.projects)) project.remove();
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

export function plansOf({ bridge, auto, uuid }: Record<'bridge' | 'auto' | 'uuid', Version>): Plan[] {
  const counted = {
    versions: { old: NUMBERS, bridge, snowflake: auto },
    key: 'id',
    reference: 'customer_id',
  };
  const uuids = {
    versions: { old: UUIDS, snowflake: uuid },
    key: 'snowflake_id',
    reference: 'customer_snowflake_id',
  };
  return [
    {
      ...counted,
      name: 'from auto-increment on PostgreSQL',
      kind: 'postgres',
      guides: [],
      tables: tablesOf('postgres', COUNTED.postgres, 'int'),
      steps: [{ print: 'widen' }, ...DEPLOYS, { print: 'stop-counting' }],
    },
    {
      ...counted,
      name: 'from auto-increment on MariaDB',
      kind: 'mariadb',
      guides: [],
      tables: tablesOf('mariadb', COUNTED.mariadb, 'int'),
      steps: [{ print: 'widen' }, ...DEPLOYS, { print: 'stop-counting' }],
    },
    {
      ...counted,
      name: 'from auto-increment with the SQL for MySQL, on MariaDB',
      kind: 'mariadb',
      guides: [MYSQL],
      tables: tablesOf('mariadb', COUNTED.mariadb, 'int'),
      steps: [
        { retire: 'old' },
        { run: 'MySQL: widen' },
        { deploy: 'bridge' },
        { retire: 'bridge' },
        { run: 'MySQL: stop counting' },
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
          { run: `${table}: find` },
          { fill: `${table}: fill`, count: `${table}: count` },
          { run: `${table}: prepare` },
        ]),
        { run: 'swap' },
        ...DEPLOYS,
        { print: 'stop-counting' },
      ],
    },
    ...(['postgres', 'mariadb'] as const).map((kind): Plan => ({
      ...uuids,
      name: `from UUIDs on ${kind === 'postgres' ? 'PostgreSQL' : 'MariaDB'}`,
      kind,
      guides: [kind === 'postgres' ? UUID : UUID_MARIADB],
      tables: tablesOf(
        kind,
        UUID_KEY[kind],
        'uuid',
        kind === 'postgres'
          ? ', created_at timestamptz NOT NULL DEFAULT now()'
          : ', created_at datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)',
      ),
      steps: [
        ...(kind === 'mariadb' ? [{ run: 'session' }] : []),
        { run: 'customers: add' },
        { run: 'number' },
        { fill: 'fill', count: 'count' },
        { run: 'prepare' },
        { run: 'orders: add' },
        { run: 'number', table: 'orders' },
        { fill: kind === 'postgres' ? 'fill' : 'orders: fill', count: 'count', table: 'orders' },
        { run: 'prepare', table: 'orders' },
        { run: 'orders: refer' },
        { deploy: 'snowflake' },
        { retire: 'old' },
        ...(kind === 'mariadb' ? [{ run: 'drop' }] : []),
        { run: 'swap' },
      ],
    })),
  ];
}

/** Runs a step of SQL of one of the guides. */
export async function runStep(session: QueryRunner, plan: Plan, step: Step): Promise<void> {
  if ('print' in step) await runPrinted(session.dataSource.options, plan, step.print);
  if ('run' in step) await runBlock(session, statementsOf(plan, step.run, step.table));
  if ('sql' in step) await runBlock(session, [step.sql]);
  if (!('fill' in step)) return;
  for (;;) {
    while ((await runBlock(session, statementsOf(plan, step.fill, step.table))).changed > 0);
    const { rows } = await runBlock(session, statementsOf(plan, step.count, step.table));
    if (Number(Object.values(rows[0]!)[0]) === 0) return;
  }
}

async function runPrinted(options: DataSourceOptions, plan: Plan, step: StepName): Promise<void> {
  const { Customer, Order } = plan.versions.snowflake!;
  const entities = [Customer, Order];
  const migration = await migrationOf({ ...options, entities } as DataSourceOptions, TIMEOUT_MS);
  await runAsClient(
    options,
    migration[step].forward.filter((statement) => plan.without?.test(statement) !== true),
  );
}

function statementsOf({ guides, without }: Plan, title: string, table = 'customers'): string[] {
  const guide = guides.find((each) => each.has(title));
  if (guide === undefined) throw new Error(`No guide has a block "${title}"`);
  const statements = guide.statements(title, title.includes(': ') ? undefined : table);
  return statements.filter((statement) => without?.test(statement) !== true);
}
