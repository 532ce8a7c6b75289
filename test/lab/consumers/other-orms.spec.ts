import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DataSource, EntitySchema } from 'typeorm';
import { MarkdownPage, ROOT } from '../../docs/markdown.js';
import { databaseFor } from '../../support/servers/index.js';
import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';
import { itKeepsTheTables } from './library-tables.js';
import { SENT_BY_MONGOOSE, WRITE_PATHS, type DatabaseName, type Outcomes } from './write-paths.js';

interface Report {
  readonly created: readonly [id: string, customerId: string];
  readonly read: readonly [id: string, customerId: string];
  readonly types: readonly string[];
}

/** The worker ID of `src/session.ts`, and the bits below the timestamp. */
const WORKER_ID = 7n;
const CUSTOMER = '382475217496248323';

const page = MarkdownPage.read('docs/guides/other-orms.md');
const [tested] = page.tablesUnder('What is tested');
let app: Consumer;
let urls: Readonly<Record<DatabaseName, string>>;

/** The code of the page by its file names, which its first lines say. That of the folder `mikro-orm` is tested in `mikro-orm.spec.ts`. */
function filesOfPage(): Map<string, string> {
  const blocks = [...page.blocksIn('typescript'), ...page.blocksIn('ts')];
  const files = blocks.map(({ text }) => [/^\/\/ (\S+)\n/.exec(text)![1]!, text] as const);
  return new Map(files.filter(([file]) => !file.includes('/')));
}

function write(path: string, text: string): void {
  const target = join(app.folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

beforeAll(async () => {
  app = new Consumer('other-orms');
  urls = {
    postgres: await databaseFor('postgres', 'other ORMs'),
    mariadb: (await databaseFor('mariadb', 'other ORMs')).replace('mariadb:', 'mysql:'),
    sqlite: '',
  };
  const { path } = await packLibrary();
  await app.install(path);
  for (const [file, text] of filesOfPage()) write(`src/${file}`, text);
  cpSync(join(ROOT, 'examples/kysely/snowflake-keys.ts'), join(app.folder, 'src/snowflake-keys.ts'));
}, STEP_WITHIN_MS);
afterAll(() => {
  app?.remove();
});

describe('the recipes for other ORMs', () => {
  it(
    'compile',
    async () => {
      await expect(app.script('compile')).resolves.not.toContain('error');
      expect(existsSync(join(app.folder, 'out/run-drizzle.js'))).toBe(true);
    },
    STEP_WITHIN_MS,
  );

  it(
    'write and read exact IDs with Drizzle',
    async () => {
      const { created, read, types } = await run('drizzle');
      expect(created[1]).toBe(CUSTOMER);
      expect(read).toEqual(created);
      expect(new Set(types)).toEqual(new Set(['string']));
      expect((BigInt(read[0]) >> 12n) & 1023n).toBe(WORKER_ID);
    },
    STEP_WITHIN_MS,
  );

  it(
    'make documents of Mongoose that are valid and whose JSON has strings',
    async () => {
      const { created, read, types } = await run('mongoose');
      expect(read).toEqual(created);
      expect(types).toEqual(['bigint', 'bigint', 'string', 'string']);
      expect((BigInt(read[0]) >> 12n) & 1023n).toBe(WORKER_ID);
    },
    STEP_WITHIN_MS,
  );

  it(
    'fail to read an ID with Drizzle without big integers (control)',
    () =>
      withRecipe('drizzle', "'bigint' }", "'number' }", async () => {
        await expect(run('drizzle', 'drizzle-number.db')).rejects.toThrow(/cannot be safely represented/);
      }),
    STEP_WITHIN_MS,
  );

  it.each(WRITE_PATHS)(
    'fill, keep or have refused the ID on each write path of %s on %s',
    async (orm, database, outcomes) => {
      expect(await outcomesOf(orm, database)).toEqual(outcomes);
    },
    STEP_WITHIN_MS,
  );

  it.each([
    ['kysely', "snowflakeKeys('orders')", ''],
    ['knex', ', id: row.id ?? nextId()', ''],
    ['sequelize', ', defaultValue: nextId', ''],
  ])(
    'fill no ID with %s without what the page adds (control)',
    (orm, added, instead) =>
      withRecipe(orm, added, instead, async () => {
        for (const [, database] of WRITE_PATHS.filter(([name]) => name === orm)) {
          const outcomes = Object.values(await outcomesOf(orm, database));
          expect(outcomes).toContain('refused');
          expect(outcomes.join()).not.toContain('filled');
        }
      }),
    STEP_WITHIN_MS,
  );

  it.each([
    ['kysely', 'mariadb'],
    ['kysely', 'sqlite'],
    ['knex', 'mariadb'],
    ['knex', 'sqlite'],
  ] as const)(
    'round IDs with %s on %s if the driver has its default options (control)',
    async (orm, database) => {
      expect((await outcomesOf(orm, database, { DRIVER_OPTIONS: 'defaults' }))['one row']).toBe('misread');
    },
    STEP_WITHIN_MS,
  );

  it(
    'return numbers or rounded IDs with Sequelize on MariaDB under other driver options (control)',
    async () => {
      const option = 'bigNumberStrings: true';
      await withRecipe('sequelize', option, '', async () => {
        expect((await outcomesOf('sequelize', 'mariadb'))['create with a small ID']).toMatch(/as a number/);
      });
      await withRecipe('sequelize', option, 'supportBigNumbers: false', async () => {
        expect((await outcomesOf('sequelize', 'mariadb')).create).toBe('misread');
      });
    },
    STEP_WITHIN_MS,
  );

  it(
    'need a key of SQLite that is not null and no integer primary key',
    async () => {
      expect(await print('sqlite-keys')).toEqual({
        'id bigint NOT NULL PRIMARY KEY': 'refused',
        'id bigint PRIMARY KEY': null,
        // The next ID of the same process, if it makes one in the same millisecond.
        'id integer NOT NULL PRIMARY KEY': String(BigInt(CUSTOMER) + 1n),
      });
    },
    STEP_WITHIN_MS,
  );

  it(
    'send an ID of ours on the write paths of Mongoose that the page names, and a validator for the others, and read bigints',
    async () => {
      expect(await print('sent-by-mongoose')).toEqual({
        outcomes: SENT_BY_MONGOOSE,
        validators: [{ $jsonSchema: { properties: { _id: { bsonType: 'long' } } } }],
        lean: { byDefault: ['Long', 'number'], asThePageSays: ['bigint', 'bigint'] },
      });
    },
    STEP_WITHIN_MS,
  );

  it(
    'send an ObjectId with lean documents of Mongoose without the plugin (control)',
    () =>
      withRecipe('mongoose', 'orderSchema.plugin(snowflakeIds);', '', async () => {
        const { outcomes } = await print<{ outcomes: Outcomes }>('sent-by-mongoose');
        expect(outcomes['insertMany of lean documents']).toBe('ObjectId');
      }),
    STEP_WITHIN_MS,
  );

  it(
    'create a collection without the validator first if Mongoose may create it (control)',
    () =>
      withRecipe('mongoose', 'autoCreate: false', 'autoCreate: true', async () => {
        const { validators } = await print<{ validators: unknown[] }>('sent-by-mongoose');
        expect(validators[0]).toBe('none');
      }),
    STEP_WITHIN_MS,
  );

  it('the recipes run on the versions that the page names', () => {
    const { dependencies } = JSON.parse(readFileSync(join(app.folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const packages: Record<string, string> = {
      Drizzle: 'drizzle-orm',
      Knex: 'knex',
      Kysely: 'kysely',
      Mongoose: 'mongoose',
      Sequelize: 'sequelize',
    };
    expect(tested!.rows.map(([name]) => name)).toEqual(Object.keys(packages));
    for (const [name = '', version = ''] of tested!.rows) {
      expect(dependencies[packages[name]!]).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`));
    }
  });
});

type Server = 'postgres' | 'mariadb';
const SERVERS: readonly Server[] = ['postgres', 'mariadb'];

const schemaCommands = (script: string) => (database: Server, url: string) =>
  app.run(process.execPath, script, database, url);

itKeepsTheTables('Sequelize', SERVERS, schemaCommands('schema-sequelize.mjs'));
itKeepsTheTables('Knex', SERVERS, schemaCommands('schema-knex.mjs'));
itKeepsTheTables('TypeORM', SERVERS, synchronize, (database, url) => synchronize(database, url, true));

async function synchronize(type: Server, url: string, dropSchema = false): Promise<void> {
  const orders = new EntitySchema({ name: 'orders', columns: { id: { type: 'bigint', primary: true } } });
  const dataSource = new DataSource({ type, url, entities: [orders], synchronize: true, dropSchema });
  await dataSource.initialize();
  await dataSource.destroy();
}

/** Runs a recipe on a database of its own. */
const run = (file: string, database?: string): Promise<Report> => print<Report>(`run-${file}`, database);

/** Writes on each path of an ORM, and returns what became of the ID. */
function outcomesOf(orm: string, database: DatabaseName, env: NodeJS.ProcessEnv = {}): Promise<Outcomes> {
  const settings = { DATABASE: database, DATABASE_URL: urls[database], ...env };
  return print<Outcomes>(`${orm}-paths`, `${orm}.db`, settings);
}

/** Runs a script on a database of its own, and returns what it prints. */
async function print<Printed>(
  script: string,
  database = `${script}.db`,
  env: NodeJS.ProcessEnv = {},
): Promise<Printed> {
  const path = join(app.folder, database);
  // This recipe takes the URL of a file.
  const file = /drizzle/.test(script) ? `file:${path}` : path;
  const settings = JSON.stringify({ DATABASE_FILE: file, ...env });
  write(`out/start-${script}.js`, `Object.assign(process.env, ${settings}); await import('./${script}.js');`);
  const { stdout } = await app.run(process.execPath, `out/start-${script}.js`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed;
}

/** Does `work` while the compiled recipe has `changed` in place of `text`. */
async function withRecipe(
  name: string,
  text: string,
  changed: string,
  work: () => Promise<void>,
): Promise<void> {
  const path = join(app.folder, `out/${name}.js`);
  const recipe = readFileSync(path, 'utf8');
  expect(recipe).toContain(text);
  writeFileSync(path, recipe.replace(text, changed));
  try {
    await work();
  } finally {
    writeFileSync(path, recipe);
  }
}
