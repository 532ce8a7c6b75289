import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationOfDatabase } from '../../../libs/snowflake-cli/src/commands/sql/database-migration.js';
import { MarkdownPage } from '../../docs/markdown.js';
import { databaseFor } from '../../support/servers/index.js';
import { packLibrary } from '../long/packaging/packed-library.js';
import { nodeBinary } from '../node-binary.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';
import { itKeepsTheTables, LibraryTables, type TablesDatabase } from './library-tables.js';

const DIALECTS = ['postgresql', 'mariadb', 'libsql'] as const;
type Dialect = (typeof DIALECTS)[number];

/** The newest versions of which npm has all packages, and the last one that changes keys. */
const VERSIONS = {
  '6.6.16': ['core', 'knex', 'migrations', ...DIALECTS],
  '7.2.1': ['core', 'sql', 'decorators', 'migrations', ...DIALECTS],
  '7.1.13': ['core', 'sql', 'postgresql'],
  '7.1.10': ['core', 'sql', 'postgresql'],
} as const;
type Version = keyof typeof VERSIONS;
const SUPPORTED = ['6.6.16', '7.2.1'] as const;
const CASES = SUPPORTED.flatMap((version) => DIALECTS.map((dialect) => [version, dialect] as const));

/** What else npm gets: for MikroORM 7, Kysely in its version and Nest for the app of the page; no compiler where nothing compiles. */
const BESIDES: Record<Version, readonly string[]> = {
  '6.6.16': [],
  '7.2.1': [
    '@mikro-orm/nestjs@7.1.0',
    '@nestjs/common@12.5.1',
    '@nestjs/core@12.5.1',
    'kysely@0.29.6',
    'reflect-metadata@0.2.2',
    'rxjs@7.8.2',
  ],
  '7.1.13': ['--omit=dev'],
  '7.1.10': ['--omit=dev'],
};

const UNASSIGNED = ['em.insert', 'em.insertMany', 'qb.insert', 'raw'] as const;
const UPSERTS = ['em.upsert', 'em.upsertMany'] as const;
/** MikroORM 6 writes an upsert that has nothing to update as INSERT IGNORE, which stores 0 for what is missing. */
const INSERT_IGNORE = { 'em.upsert': '0' };
/** MikroORM compares the keys of a page with JSON on MariaDB, and takes numbers for strings there. */
const JSON_PAGE = { pagedJoined: false };
const all = <Name extends string, Value>(names: readonly Name[], value: Value) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;

/** Files that declare an entity without decorators. */
const DECLARED = ['entity-schema', 'define-entity'] as const;

/** What declared.mjs prints of an entity that works. */
const EXACT = { isOurs: true, isExact: true, columns: ['bigint', 'bigint', 'bigint'] };

const COMPILER =
  '--ignoreConfig --module nodenext --target es2023 --strict --skipLibCheck --types node'.split(' ');
const LEGACY_DECORATORS = ['--experimentalDecorators', '--emitDecoratorMetadata'];

const apps = new Map<Version, Consumer>();
let node22: string;

beforeAll(async () => {
  node22 = await nodeBinary(22);
  const { path } = await packLibrary();
  for (const [version, names] of Object.entries(VERSIONS) as [Version, readonly string[]][]) {
    const app = new Consumer('mikro-orm');
    apps.set(version, app);
    const packages = names.map((name) => `@mikro-orm/${name}@${version}`);
    await app.install(path, ...packages, ...BESIDES[version]);
    writePage(app);
  }
  const declared = DECLARED.map((file) => `${file}.ts`);
  await compile('6.6.16', ['mikro-orm/sqlite-6.ts', ...declared]);
  await compile('7.2.1', ['mikro-orm/sqlite.ts', ...declared]);
}, STEP_WITHIN_MS);
afterAll(() => {
  for (const app of apps.values()) app.remove();
});

describe('keys of MikroORM [promise: exact-keys]', () => {
  it.each(CASES)(
    'get IDs with MikroORM %s on %s wherever it makes entities, are refused elsewhere, and are never rounded',
    async (version, dialect) => {
      const is7 = version === '7.2.1';
      expect(await run(version, dialect)).toEqual({
        verified: true,
        unbound: 'SNOWFLAKE_UNBOUND_MAKER',
        withoutLease: 'SNOWFLAKE_NOT_READY',
        writes: {
          'em.create': 'ID',
          new: 'ID',
          ...all(UPSERTS, is7 ? 'ID' : 'refused'),
          ...(version === '6.6.16' && dialect === 'mariadb' ? INSERT_IGNORE : {}),
          ...all(UNASSIGNED, 'refused'),
        },
        kept: all(UPSERTS, is7 ? 'kept' : 'refused'),
        reads: {
          ...all(
            [
              'byId',
              'joined',
              'selectIn',
              'byIds',
              'byRaw',
              'pagedJoined',
              'pagedSelectIn',
              'upserted',
              'byRelation',
            ],
            true,
          ),
          ...(dialect === 'mariadb' ? JSON_PAGE : {}),
        },
        counted: 1,
        rounded: all(['written', 'inserted', 'referred', 'asked'], 'SNOWFLAKE_INVALID_ID'),
        // Before the flush, MikroORM 6 has not called onCreate yet.
        cascade: { atOnce: is7, rows: 6, ours: 6 },
        retryKeepsId: true,
      });
    },
    STEP_WITHIN_MS,
  );

  it.each(CASES)(
    'come from a sequence with MikroORM %s on %s without autoincrement: false (control)',
    async (version, dialect) => {
      const { writes } = await run(version, dialect, 'autoincrement');
      expect(writes['em.insert']).toBe('1');
      for (const way of UNASSIGNED) expect(writes[way]).toMatch(/^\d+(,\d+)*$/);
    },
    STEP_WITHIN_MS,
  );

  it.each(SUPPORTED)(
    'stop the boot with MikroORM %s if somebody leaves the choice of a sequence to MikroORM',
    async (version) => {
      const { verified, writes } = await run(version, 'libsql', 'changed');
      expect({ verified, inserted: writes['em.insert'] }).toEqual({
        verified: 'SNOWFLAKE_INVALID_OPTION',
        inserted: '1',
      });
    },
    STEP_WITHIN_MS,
  );

  it.each(SUPPORTED)(
    'stop the boot, and each reading, if SQLite rounds them with MikroORM %s',
    async (version) => {
      const { verified, failed } = await run(version, 'libsql', 'driver');
      expect({ verified, failed }).toEqual({
        verified: 'SNOWFLAKE_LOSSY_DRIVER',
        failed: 'SNOWFLAKE_INVALID_ID',
      });
    },
    STEP_WITHIN_MS,
  );

  it.each(SUPPORTED)(
    'come back rounded from SQLite with MikroORM %s if the type only makes text of what it gets (control)',
    async (version) => {
      const { reads } = await run(version, 'libsql', 'type', 'driver');
      expect(Object.values(reads)).toEqual(Object.values(reads).map(() => false));
    },
    STEP_WITHIN_MS,
  );

  it(
    'survive an upsert from the oldest version of MikroORM 7 that the library accepts',
    async () => {
      const { writes, kept } = await run('7.1.13', 'postgresql');
      expect({ writes, kept }).toMatchObject({ writes: all(UPSERTS, 'ID'), kept: all(UPSERTS, 'kept') });
    },
    STEP_WITHIN_MS,
  );

  it(
    'can not be declared with MikroORM 7.1.10, which changes them in an upsert (control)',
    async () => {
      const { kept } = await run('7.1.10', 'postgresql', 'type');
      expect(kept['em.upsert']).toBe('changed');
      await expect(run('7.1.10', 'postgresql')).rejects.toThrow('SNOWFLAKE_INVALID_OPTION');
    },
    STEP_WITHIN_MS,
  );

  it.each(SUPPORTED.flatMap((version) => DECLARED.map((file) => [version, file] as const)))(
    'compile and work with MikroORM %s as declared in %s',
    async (version, file) => {
      expect(await declaredIn(version, `./${file}.js`)).toEqual(EXACT);
    },
    STEP_WITHIN_MS,
  );

  it.each([
    ['6.6.16', '@mikro-orm/core', LEGACY_DECORATORS],
    ['7.2.1', '@mikro-orm/decorators/legacy', LEGACY_DECORATORS],
    ['7.2.1', '@mikro-orm/decorators/es', []],
  ] as const)(
    'compile and work with MikroORM %s and the decorators of %s',
    async (version, decorators, flags) => {
      const file = join(apps.get(version)!.folder, 'mikro-orm/order.entity.ts');
      const page = readFileSync(file, 'utf8');
      try {
        writeFileSync(file, page.replace('@mikro-orm/decorators/legacy', decorators));
        await compile(version, [...flags, 'mikro-orm/order.entity.ts']);
        expect(await declaredIn(version, './mikro-orm/order.entity.js')).toEqual(EXACT);
      } finally {
        writeFileSync(file, page);
      }
    },
    STEP_WITHIN_MS,
  );

  it(
    'come from the ID maker of a Nest app, or from a fake that a test has bound',
    async () => {
      const app = apps.get('7.2.1')!;
      const file = join(app.folder, 'mikro-orm/app.module.ts');
      // Otherwise, the first start waits for leases that the store may have forgotten.
      const brisk = "forRoot({ lease: { possibleLoss: 'ignore' }, store:";
      writeFileSync(file, readFileSync(file, 'utf8').replace('forRoot({ store:', brisk));
      await compile('7.2.1', [...LEGACY_DECORATORS, 'mikro-orm/app.module.ts']);
      const url = await databaseFor('postgres', 'mikro-orm nest');
      const start = `process.env.DATABASE_URL = ${JSON.stringify(url)}; await import('./nest.mjs');`;
      writeFileSync(join(app.folder, 'start.mjs'), start);
      expect(await print('7.2.1', 'start.mjs')).toEqual({ isNew: true, isExact: true, faked: '1001' });
    },
    STEP_WITHIN_MS,
  );
});

/** Runs its commands, as the page says or carelessly. */
const schemaCommands =
  (version: Version, ...mode: string[]) =>
  (database: TablesDatabase, url: string) =>
    printed(version, 'schema.mjs', database, url, ...mode);

itKeepsTheTables(
  'MikroORM 6',
  ['postgres', 'mariadb', 'sqlite'],
  schemaCommands('6.6.16'),
  schemaCommands('6.6.16', 'careless'),
);
itKeepsTheTables('MikroORM 7', ['postgres'], schemaCommands('7.2.1'), schemaCommands('7.2.1', 'careless'));

describe('keys that the database has numbered so far', () => {
  it.each([
    ['6.6.16', 'postgres'],
    ['6.6.16', 'mariadb'],
    ['7.2.1', 'postgres'],
  ] as const)(
    'are what MikroORM %s on %s declares after each step that the command line has printed',
    (version, database) =>
      LibraryTables.with(database, `MikroORM ${version} numbered`, async ({ url, dataSource }) => {
        const id = database === 'postgres' ? 'serial' : 'int unsigned NOT NULL AUTO_INCREMENT';
        const onUpdate = version === '6.6.16' ? 'ON UPDATE CASCADE' : '';
        const reference = database === 'postgres' ? 'int' : 'int unsigned';
        await dataSource.query(`CREATE TABLE customers (id ${id}, PRIMARY KEY (id))`);
        await dataSource.query(
          `CREATE TABLE orders (id ${id}, customer_id ${reference} NOT NULL, PRIMARY KEY (id),
           CONSTRAINT orders_customer_id_foreign FOREIGN KEY (customer_id) REFERENCES customers (id) ${onUpdate})`,
        );
        if (database === 'mariadb')
          await dataSource.query('CREATE INDEX orders_customer_id_index ON orders (customer_id)');
        const diff = (mode: string) => print<string[]>(version, 'schema.mjs', database, url, mode);
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

/** What declared.mjs prints of the entity that a file declares. */
function declaredIn(version: Version, file: string): Promise<unknown> {
  return print(
    version,
    'declared.mjs',
    file,
    join(apps.get(version)!.folder, `${file.replaceAll(/\W/g, '-')}.db`),
  );
}

/** Writes the code of the page: its first lines name the files. */
function writePage(app: Consumer): void {
  const page = MarkdownPage.read('docs/guides/other-orms.md');
  mkdirSync(join(app.folder, 'mikro-orm'));
  for (const { text } of [...page.blocksIn('typescript'), ...page.blocksIn('ts')]) {
    const [, file = ''] = /^\/\/ (\S+)\n/.exec(text) ?? [];
    if (file.startsWith('mikro-orm/')) writeFileSync(join(app.folder, file), text);
    // Where all ORMs of the page get their IDs.
    if (file === 'ids.ts') writeFileSync(join(app.folder, 'mikro-orm', file), text);
  }
}

function compile(version: Version, args: readonly string[]) {
  return apps.get(version)!.run('tsc', ...COMPILER, ...args);
}

/** Runs a file on a version of Node that this version of MikroORM supports, and returns what it prints. */
async function printed(version: Version, ...args: string[]): Promise<string> {
  const node = version.startsWith('6.') ? process.execPath : node22;
  return (await apps.get(version)!.run(node, ...args)).stdout;
}

async function print<Result>(version: Version, ...args: string[]): Promise<Result> {
  const stdout = await printed(version, ...args);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Result;
}

async function run(version: Version, dialect: Dialect, ...careless: string[]): Promise<Printed> {
  const name = ['mikro-orm', version, dialect, ...careless].join(' ');
  const url =
    dialect === 'libsql'
      ? join(apps.get(version)!.folder, `${name}.db`)
      : await databaseFor(dialect === 'postgresql' ? 'postgres' : 'mariadb', name);
  return print<Printed>(version, 'run.mjs', dialect, url, ...careless);
}

type Outcome = 'ID' | 'refused' | (string & {});

/** What run.mjs prints. */
interface Printed {
  readonly verified: true | string;
  readonly unbound: string;
  readonly withoutLease: string;
  /** Whether the row got an ID, was refused, or what else its key is, by the way of writing. */
  readonly writes: Readonly<Record<string, Outcome>>;
  /** Whether the key of an existing row survived. */
  readonly kept: Readonly<Record<'em.upsert' | 'em.upsertMany', string>>;
  /** Whether the IDs were exact, or the code of the refusal. */
  readonly reads: Readonly<Record<string, boolean | string>>;
  readonly counted: number;
  readonly rounded: Readonly<Record<string, string>>;
  readonly cascade: { readonly atOnce: boolean; readonly rows: number; readonly ours: number };
  readonly retryKeepsId: boolean;
  readonly failed?: string;
}
