import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Consumer, STEP_WITHIN_MS } from '../../consumers/consumer.js';
import { packLibrary } from '../packaging/packed-library.js';
import { databaseFor } from '../../../support/servers/index.js';
import { MarkdownPage } from '../../../docs/markdown.js';

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
let folder: string;
let app: Consumer;

/** The code of the page by its file names, which its first lines say. */
function filesOfPage(): Map<string, string> {
  const blocks = [...page.blocksIn('typescript'), ...page.blocksIn('ts')];
  return new Map(blocks.map(({ text }) => [/^\/\/ (\S+)\n/.exec(text)![1]!, text]));
}

function write(path: string, text: string): void {
  const target = join(app.folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-orms-')));
  app = new Consumer('other-orms', {
    MARIADB_URL: await databaseFor('mariadb', 'other ORMs'),
    DATABASE_URL: await databaseFor('postgres', 'other ORMs'),
  });
  const { path } = await packLibrary(folder);
  await app.install(path);
  for (const [file, text] of filesOfPage()) write(`src/${file}`, text);
}, STEP_WITHIN_MS);
afterAll(() => {
  app?.remove();
  rmSync(folder, { recursive: true, force: true });
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

  it.each([
    ['Drizzle', 'drizzle', 'string'],
    ['Kysely', 'kysely', 'bigint'],
    ['MikroORM', 'mikro-orm', 'string'],
    ['Sequelize', 'sequelize', 'string'],
  ])(
    'write and read exact IDs with %s',
    async (_name, file, type) => {
      const { created, read, types } = await run(file);
      expect(created[1]).toBe(CUSTOMER);
      expect(read).toEqual(created);
      expect(new Set(types)).toEqual(new Set([type]));
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
    'round IDs with MikroORM on SQLite without safe integers (control)',
    async () => {
      const file = join(app.folder, 'out/mikro-orm.js');
      const recipe = readFileSync(file, 'utf8');
      try {
        writeFileSync(file, recipe.replace('defaultSafeIntegers(true)', 'defaultSafeIntegers(false)'));
        expect((await run('mikro-orm', 'rounded.db')).read[1]).not.toBe(CUSTOMER);
      } finally {
        writeFileSync(file, recipe);
      }
    },
    STEP_WITHIN_MS,
  );

  it.each([['Drizzle', 'drizzle']])(
    'fail to read an ID with %s without big integers (control)',
    async (_name, file) => {
      const path = join(app.folder, `out/${file}.js`);
      const recipe = readFileSync(path, 'utf8');
      try {
        writeFileSync(path, recipe.replace("'bigint' }", "'number' }"));
        await expect(run(file, `${file}-number.db`)).rejects.toThrow(/cannot be safely represented/);
      } finally {
        writeFileSync(path, recipe);
      }
    },
    STEP_WITHIN_MS,
  );

  it(
    'have the database refuse rows that MikroORM writes without an ID',
    async () => {
      const refusals = await print<string[]>('unassigned-mikro-orm');
      expect(refusals).toHaveLength(5);
      for (const refusal of refusals) expect(refusal).toMatch(/^refused: /);
    },
    STEP_WITHIN_MS,
  );

  it(
    'send an ID with the lean documents of Mongoose',
    async () => {
      const { read, types } = await print<Report>('sent-by-mongoose');
      expect(types[0]).toBe('bigint');
      expect((BigInt(read[0]) >> 12n) & 1023n).toBe(WORKER_ID);
    },
    STEP_WITHIN_MS,
  );

  it(
    'name the options with which mysql2 reads IDs exactly, unlike its defaults',
    async () => {
      const { asThePageSays, byDefault } = await print<Record<string, string>>('read-with-mysql2');
      expect(asThePageSays).toBe(CUSTOMER);
      expect(byDefault).not.toBe(CUSTOMER);
    },
    STEP_WITHIN_MS,
  );

  it(
    'warn of MikroORM 7 as long as it rounds on SQLite',
    async () => {
      const newer = new Consumer('mikro-orm-7');
      try {
        await newer.install();
        const { stdout } = await newer.run(
          'npx',
          '--yes',
          '--package',
          'node@22',
          '--',
          'node',
          'read-id.mjs',
        );
        const { wasCalled, id } = JSON.parse(stdout) as { wasCalled: boolean; id: string };
        expect({ wasCalled, isExact: id === CUSTOMER }).toEqual({ wasCalled: false, isExact: false });
      } finally {
        newer.remove();
      }
    },
    STEP_WITHIN_MS,
  );

  it('the recipes run on the versions that the page names', () => {
    const { dependencies } = JSON.parse(readFileSync(join(app.folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const packages: Record<string, string> = {
      Drizzle: 'drizzle-orm',
      Kysely: 'kysely',
      MikroORM: '@mikro-orm/core',
      Mongoose: 'mongoose',
      Sequelize: 'sequelize',
    };
    expect(tested!.rows.map(([name]) => name)).toEqual(Object.keys(packages));
    for (const [name = '', version = ''] of tested!.rows) {
      expect(dependencies[packages[name]!]).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`));
    }
  });
});

/** Runs a recipe on a database of its own. */
const run = (file: string, database?: string): Promise<Report> => print<Report>(`run-${file}`, database);

/** Runs a script on a database of its own, and returns what it prints. */
async function print<Printed>(script: string, database = `${script}.db`): Promise<Printed> {
  const path = join(app.folder, database);
  // This recipe takes the URL of a file.
  const file = /drizzle/.test(script) ? `file:${path}` : path;
  write(
    `out/start-${script}.js`,
    `process.env.DATABASE_FILE = ${JSON.stringify(file)}; await import('./${script}.js');`,
  );
  const { stdout } = await app.run(process.execPath, `out/start-${script}.js`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed;
}
