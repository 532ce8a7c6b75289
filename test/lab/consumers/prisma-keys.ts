import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { LEASE_TABLES } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import { MarkdownPage } from '../../docs/markdown.js';
import { databaseFor } from '../../support/servers/index.js';
import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';

const VERSIONS = ['6', '7'] as const;
type Version = (typeof VERSIONS)[number];
const PROVIDERS = ['postgresql', 'mysql', 'sqlite'] as const;
type Provider = (typeof PROVIDERS)[number];
const CASES = VERSIONS.flatMap((version) => PROVIDERS.map((provider) => [version, provider] as const));

/** `prisma generate` requires this program, but runs it only for migrations. It is not on npm. */
export const PRISMA_ENV: NodeJS.ProcessEnv = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };

const page = MarkdownPage.read('docs/guides/prisma.md');

/** The scripts of `prisma/keys` in an app that has installed one version of Prisma. */
interface Scripts {
  readonly app: Consumer;
  readonly folder: string;
}
const scripts = new Map<Version, Scripts>();

/** Declares the tests of the scripts in the folder `keys` of an app with Prisma 7, and in an app with Prisma 6. */
export function describeKeys(consumer: () => Consumer): void {
  beforeAll(async () => {
    // Prisma 6 reads the variable of a schema even to generate.
    const app = new Consumer('prisma/keys', { ...PRISMA_ENV, DATABASE_URL: 'postgres://unused' });
    scripts.set('6', { app, folder: app.folder });
    scripts.set('7', { app: consumer(), folder: join(consumer().folder, 'keys') });
    cpSync(join(app.folder, 'package-6.json'), join(app.folder, 'package.json'));
    await app.install((await packLibrary()).path);
    for (const version of VERSIONS)
      for (const provider of PROVIDERS)
        await generate(version, schemaOf(version, provider, modelsOf(version)));
    await writePage();
  }, STEP_WITHIN_MS);
  afterAll(() => scripts.get('6')?.app.remove());

  describe('keys of Prisma [promise: exact-keys]', () => {
    it.each(VERSIONS)(
      'keep the types of the client with Prisma %s, without an ID in the data',
      async (version) => {
        const { app, folder } = scripts.get(version)!;
        await expect(app.run('tsc', '-p', folder)).resolves.toMatchObject({ stdout: '' });
      },
      STEP_WITHIN_MS,
    );

    it.each(CASES)(
      'get an ID with Prisma %s on %s by every way to write, also the first one before there is a lease',
      async (version, provider) => {
        const { canIssueBefore, shapes } = await run<Shapes>('run-shapes.mjs', version, provider);
        expect(canIssueBefore).toBe(false);
        expect(except(shapes, 'filled', 'missing')).toEqual([]);
      },
      STEP_WITHIN_MS,
    );

    it.each(CASES)(
      'raise an error with Prisma %s on %s if they are rounded, no IDs or written around the extension',
      async (version, provider) => {
        const { values, rows, around, careless, old, seenBy, order, relationKey, verified } =
          await run<Refusals>('run-refusals.mjs', version, provider);
        const { 'unbound maker': unbound, 'stopped maker': stopped, ...invalid } = values;
        expect([unbound, stopped]).toEqual(['SNOWFLAKE_UNBOUND_MAKER', 'SNOWFLAKE_STOPPED']);
        expect(new Set(Object.values(invalid))).toEqual(new Set(['SNOWFLAKE_INVALID_ID']));
        expect(Object.keys(invalid)).toHaveLength(12);
        expect(rows).toBe(0);

        expect(Object.keys(around)).toHaveLength(4);
        // Control: with a default, the same write stores 0.
        expect(careless).toBe('0');

        // A client that still declares Int reads what has counted so far, and rounds nothing.
        expect(old).toEqual({
          small: 5,
          large: expect.stringContaining('without loss of precision') as string,
        });

        // Control: an extension before it sees no ID.
        expect(seenBy).toEqual([true, false]);
        expect(order).toEqual({ second: 'SNOWFLAKE_INVALID_OPTION' });
        // Control: a key that is part of a relation can't get an ID of its own.
        expect(Object.keys(relationKey)).toEqual(['marked']);

        expect(verified).toEqual({
          unextended: 'SNOWFLAKE_INVALID_OPTION',
          ...(provider === 'sqlite' ? { driver: 'SNOWFLAKE_LOSSY_DRIVER' } : {}),
          default: 'SNOWFLAKE_INVALID_OPTION',
          type: 'SNOWFLAKE_COLUMN_TYPE',
          counting: provider === 'sqlite' ? 'SNOWFLAKE_COLUMN_TYPE' : 'SNOWFLAKE_INVALID_OPTION',
          ...(provider === 'postgresql'
            ? {
                identity: 'SNOWFLAKE_INVALID_OPTION',
                schema: 'SNOWFLAKE_INVALID_OPTION',
                twins: 'SNOWFLAKE_INVALID_OPTION',
              }
            : {}),
        });
      },
      STEP_WITHIN_MS,
    );

    it.each(['connectOrCreate', 'upsert'])(
      'stay empty where the walk through nested writes skips %s (control)',
      async (operation) => {
        const path = join(
          consumer().folder,
          'node_modules/nestjs-snowflake/dist/esm/adapters/prisma/written-args.js',
        );
        const source = readFileSync(path, 'utf8');
        try {
          writeFileSync(path, source.replace(`'${operation}',`, ''));
          const { shapes } = await run<Shapes>('run-shapes.mjs', '7', 'sqlite');
          const missed = except(shapes, 'filled', 'missing').map(([way]) => way);
          expect(missed.length).toBeGreaterThan(0);
          for (const way of missed) expect(way).toContain(operation);
        } finally {
          writeFileSync(path, source);
        }
      },
      STEP_WITHIN_MS,
    );
  });

  describe('the guide for Prisma', () => {
    it(
      'makes a Nest app that writes IDs, and that boots neither with a default in the database nor without the extension',
      async () => {
        const url = await databaseWithLeases();
        const { order, inTransaction, served, ...refused } = await run<Page>(
          'run-page.mjs',
          '7',
          'postgresql',
          url,
        );
        expect(order).toEqual({
          id: '1001',
          note: 'gift',
          lines: [
            { id: '1002', sku: 'PEN', orderId: '1001' },
            { id: '1003', sku: 'INK', orderId: '1001' },
          ],
        });
        expect(inTransaction).toMatchObject({ id: '1004' });
        // What the app answers over HTTP, with IDs that it leased a worker ID for.
        const [made, found, missing, invalid] = served;
        const id = expect.stringMatching(/^\d{15,19}$/) as string;
        expect(made).toEqual({ id, note: 'gift', lines: [{ id, sku: 'PEN', orderId: made!['id'] }] });
        expect(found).toEqual({ id: made!['id'], note: 'gift' });
        expect(missing).toMatchObject({ statusCode: 404 });
        expect(invalid).toMatchObject({ statusCode: 400 });
        expect(refused).toEqual({
          withDefault: 'SNOWFLAKE_INVALID_OPTION',
          unextended: 'SNOWFLAKE_INVALID_OPTION',
        });
      },
      STEP_WITHIN_MS,
    );
  });

  describe('the generator for Prisma', () => {
    it.each(VERSIONS)(
      'chooses the same keys with Prisma %s if none is marked, and refuses one with a default',
      async (version) => {
        const file = join(scripts.get(version)!.folder, 'src/snowflake-models-sqlite.ts');
        const written = readFileSync(file, 'utf8');
        const unmarked = modelsOf(version).replaceAll(/ @snowflake$/gm, '');
        const careful = unmarked.replace('@default(0)', '');
        const only = ['--generator', 'snowflake'];
        await generate(
          version,
          schemaOf(version, 'sqlite', careful.replaceAll('Careless', 'Careful')),
          ...only,
        );
        expect(readFileSync(file, 'utf8')).toContain('"Careful"');
        expect(keysIn(readFileSync(file, 'utf8'))).toEqual({ ...keysIn(written), Careful: ['id'] });
        for (const given of DEFAULTS[version]) {
          const defaulted = unmarked.replace('@default(0)', `@default(${given})`);
          await expect(
            generate(version, schemaOf(version, 'postgresql', defaulted), ...only),
          ).rejects.toThrow(/Careless\.id .*@default\(/s);
        }
        writeFileSync(file, written);
      },
      STEP_WITHIN_MS,
    );
  });
}

/** The forms of a default, each refused by one version: how they are described is tested with what is chosen from it. */
const DEFAULTS = { '6': ['autoincrement()'], '7': ['0', 'dbgenerated("random()")'] };

/** The keys of each model that has any, in a file of the generator. */
function keysIn(file: string): Record<string, string[]> {
  const { models } = JSON.parse(/= (\{.*\});\n$/s.exec(file)![1]!) as {
    models: Record<string, { keys: object }>;
  };
  const keys = Object.entries(models).map(([name, model]) => [name, Object.keys(model.keys)] as const);
  return Object.fromEntries(keys.filter(([, names]) => names.length > 0));
}

function schemaOf(version: Version, provider: Provider, models: string): string {
  const engine = version === '6' ? 'engineType = "client"' : '';
  const url = version === '6' ? 'url = "file:unused"' : '';
  const fitting = provider === 'sqlite' ? models.replaceAll(/@db\.\w+\(\d+\)/g, '') : models;
  return `
    generator client {
      provider = "prisma-client"
      output = "../src/generated/${provider}"
      ${engine}
    }
    generator snowflake {
      provider = "nestjs-snowflake-prisma"
      output = "../src/snowflake-models-${provider}.ts"
    }
    datasource db {
      provider = "${provider}"
      ${url}
    }
    ${fitting}`;
}

function generate(version: Version, schema: string, ...options: string[]): Promise<unknown> {
  const { app, folder } = scripts.get(version)!;
  const file = join(folder, 'prisma/schema.prisma');
  writeFileSync(file, schema);
  return app.run('prisma', 'generate', '--schema', file, ...options);
}

/** Writes the code of the guide into `src/page`, as an app of its own with Prisma 7, and generates its client with Prisma 6, too. */
async function writePage(): Promise<void> {
  const folder = join(scripts.get('7')!.folder, 'src/page');
  mkdirSync(folder);
  for (const { text } of page.blocksIn('typescript')) {
    const [, file] = /^\/\/ src\/(\S+)\n/.exec(text) ?? [];
    if (file !== undefined) writeFileSync(join(folder, file), text);
  }
  const [client7, client6, models] = page.blocksIn('prisma').map(({ text }) => text);
  const schemas = { '6': `${client6}\n${models}`, '7': `${client7}\n${models}` };
  for (const version of VERSIONS)
    await generate(version, schemas[version].replaceAll('../src/', '../src/page/'));
  const generated = (version: Version): string =>
    readFileSync(join(scripts.get(version)!.folder, 'src/page/snowflake-models.ts'), 'utf8');
  expect(generated('6')).toBe(generated('7'));
}

/** A database with the tables of the leases, as the guide creates them. */
async function databaseWithLeases(): Promise<string> {
  const url = await databaseFor('postgres', 'prisma page');
  const client = new Client({ connectionString: url });
  await client.connect();
  const { create } = LEASE_TABLES.in({ type: 'postgres', schema: 'snowflake' }).tables;
  await client.query(['CREATE SCHEMA snowflake', ...create].join(';'));
  await client.end();
  return url;
}

function modelsOf(version: Version): string {
  return readFileSync(join(scripts.get(version)!.folder, 'prisma/models.prisma'), 'utf8');
}

/** @param given the database; by default a new one */
async function run<Printed>(
  script: string,
  version: Version,
  provider: Provider,
  given?: string,
): Promise<Printed> {
  const { app, folder } = scripts.get(version)!;
  const name = ['prisma', version, script].join(' ');
  const url =
    given ??
    (provider === 'sqlite'
      ? `file:${join(folder, `${script}.db`)}`
      : await databaseFor(provider === 'mysql' ? 'mariadb' : 'postgres', name));
  const { stdout } = await app.run(process.execPath, join(folder, script), provider, url);
  // An app logs above it.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed;
}

/** The ways of which the outcome is none of those. */
function except(shapes: Shapes['shapes'], ...outcomes: string[]): [string, string][] {
  return Object.entries(shapes).filter(([, outcome]) => !outcomes.includes(outcome));
}

/** What run-shapes.mjs prints. */
interface Shapes {
  readonly canIssueBefore: boolean;
  readonly shapes: Readonly<Record<string, string>>;
}

/** What run-refusals.mjs prints: codes of this library, messages of Prisma, or nothing for what is accepted. */
interface Refusals {
  readonly values: Readonly<Record<string, string>>;
  readonly rows: number;
  readonly around: Readonly<Record<string, string>>;
  readonly careless: string;
  readonly old: { readonly small: number; readonly large?: string };
  readonly seenBy: readonly boolean[];
  readonly order: Readonly<Record<string, string>>;
  readonly relationKey: Readonly<Record<string, string>>;
  readonly verified: Readonly<Record<string, string>>;
}

/** What run-page.mjs prints. */
interface Page {
  readonly order: object;
  readonly inTransaction: object;
  /** The answers to requests: for a new order, for that order, for a missing one, and with something that is no ID. */
  readonly served: readonly Readonly<Record<string, unknown>>[];
  readonly withDefault: string;
  readonly unextended: string;
}
