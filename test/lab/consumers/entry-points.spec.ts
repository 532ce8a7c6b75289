import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MarkdownPage } from '../../docs/markdown.js';
import { LIBRARY_NAMES, packConsole, packNamed } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';

/** What the app in `entry-points` does with an entry point, and the packages that it installs for it. */
interface UsedEntryPoint {
  readonly gives: unknown;
  readonly packages: Readonly<Record<11 | 12, readonly string[]>>;
}

const same = (...names: string[]): UsedEntryPoint['packages'] => ({ 11: names, 12: names });

/** By the name of the entry point. Each has a file of that name in `entry-points/src/entry-points`. */
const ENTRY_POINTS: Readonly<Record<string, UsedEntryPoint>> = {
  http: { gives: [200, 400, 503], packages: same() },
  validation: { gives: [201, 400], packages: same('class-validator', 'class-transformer') },
  swagger: {
    gives: ['string', 'snowflake-id'],
    packages: { 11: ['@nestjs/swagger@11'], 12: ['@nestjs/swagger@12'] },
  },
  terminus: { gives: ['up', 'up'], packages: { 11: ['@nestjs/terminus@11'], 12: ['@nestjs/terminus@12'] } },
  opentelemetry: { gives: 'function', packages: same('@opentelemetry/api@1') },
  prometheus: { gives: true, packages: same('prom-client@15') },
  testing: { gives: ['1001', '1002'], packages: same() },
  // Packages of their own, installed from their own tarballs.
  segments: {
    gives: ['1', 2],
    packages: {
      11: ['@nestjs/typeorm@11', 'typeorm@0.3', 'libsql@0.5'],
      12: ['@nestjs/typeorm@12', 'typeorm@1', 'libsql@0.5'],
    },
  },
  series: {
    gives: ['INV-2026-00001', 'INV-2026-00002', 'INV-2027-00001'],
    packages: {
      11: ['@nestjs/typeorm@11', 'typeorm@0.3', 'libsql@0.5'],
      12: ['@nestjs/typeorm@12', 'typeorm@1', 'libsql@0.5'],
    },
  },
  grpc: {
    gives: [true, 'SNOWFLAKE_UNAUTHORIZED'],
    packages: {
      11: ['@nestjs/microservices@11', '@grpc/grpc-js@1', '@grpc/proto-loader@0.8'],
      12: ['@nestjs/microservices@12', '@grpc/grpc-js@1', '@grpc/proto-loader@0.8'],
    },
  },
  console: { gives: [404, true, 3], packages: same() },
};

const GIVEN = Object.fromEntries(Object.entries(ENTRY_POINTS).map(([name, { gives }]) => [name, gives]));
/** Of a package.json: what the compiler makes. */
const TYPES = ['commonjs', 'module'];
const TYPESCRIPT = { 11: 'typescript@5', 12: 'typescript@6' } as const;

function packagesFor(version: 11 | 12): string[] {
  const nest = ['common', 'core', 'platform-express', 'platform-fastify'].map(
    (name) => `@nestjs/${name}@${version}`,
  );
  const peers = Object.values(ENTRY_POINTS).flatMap(({ packages }) => packages[version]);
  return [...nest, 'reflect-metadata@0.2', 'rxjs@7', '@types/node@24', TYPESCRIPT[version], ...peers];
}

let tarballs: string[];
beforeAll(async () => {
  tarballs = [(await packConsole()).path];
  for (const name of LIBRARY_NAMES) tarballs.push((await packNamed(name)).path);
}, STEP_WITHIN_MS);

describe.each([11, 12] as const)('an app of Nest %i that uses every entry point', (version) => {
  const consumer = new Consumer('entry-points');
  afterAll(() => consumer.remove());

  it(
    'installs them without a warning',
    async () => {
      expect(warningsOfOurs(await consumer.install(...packagesFor(version), ...tarballs))).toEqual([]);
    },
    STEP_WITHIN_MS,
  );

  it(
    'compiles as "type": "commonjs" and as "type": "module"',
    async () => {
      // In one run of the compiler, which reads the declarations of all packages once.
      for (const type of TYPES) {
        cpSync(join(consumer.folder, 'src'), join(consumer.folder, type), { recursive: true });
        writeFileSync(join(consumer.folder, type, 'package.json'), JSON.stringify({ type }));
      }
      expect(await consumer.script('build')).not.toContain('error');
    },
    STEP_WITHIN_MS,
  );

  it.each(TYPES)(
    'runs on Express and on Fastify as "type": "%s"',
    async (type) => {
      const { stdout, stderr } = await consumer.run(process.execPath, `${type}/main.js`);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({ express: GIVEN, fastify: GIVEN });
    },
    STEP_WITHIN_MS,
  );

  if (version === 11) describeSchemas(consumer);
});

const ID = '382475217496248322';
const NUMBER = "is a JSON number, which can't hold 64 bits exactly";
/** The schema of the page on validation. */
const SCHEMA_FILE = 'create-order.zod.ts';

const page = MarkdownPage.read('docs/guides/validation.md');
/** What only that app needs. */
const SCHEMA_PACKAGES = [
  '@apollo/server@5.5.1',
  '@as-integrations/express5@1.1.2',
  '@nestjs/apollo@13.4.5',
  '@nestjs/graphql@13.4.5',
  'graphql@16.15.0',
  'nestjs-zod@5.5.0',
  'zod@4.6.7',
];

/** Declares the tests of the app with the schema of the page. */
function describeSchemas(consumer: Consumer): void {
  it(
    'installs and compiles what the page on validation says, with nestjs-zod and @nestjs/graphql 13',
    async () => {
      const { text } = page.blocksIn('ts').find((block) => block.text.startsWith(`// ${SCHEMA_FILE}\n`))!;
      writeFileSync(join(consumer.folder, 'schemas', SCHEMA_FILE), text);
      // @nestjs/apollo 13 brings a plugin for Apollo 4, and npm warns of that.
      const warnings = warningsOfOurs(await consumer.install(...SCHEMA_PACKAGES));
      expect(warnings.filter((line) => line.includes('snowflake'))).toEqual([]);
      await expect(consumer.run('tsc', '-p', 'schemas')).resolves.toMatchObject({ stdout: '' });
    },
    STEP_WITHIN_MS,
  );

  it(
    'accepts IDs in schemas, refuses numbers with the reason, and describes IDs as strings',
    async () => {
      const { stderr } = await consumer.serve('schemas/dist/main.js', async (url) => {
        await tryRequests(url);
        await tryQueries(url);
      });
      expect(stderr).toBe('');
    },
    STEP_WITHIN_MS,
  );
}

async function post(url: string, body: string): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
}

const ask = (url: string, query: string, variables: string): Promise<{ status: number; body: unknown }> =>
  post(`${url}/graphql`, `{"query":${JSON.stringify(query)},"variables":${variables}}`);

async function tryRequests(url: string): Promise<void> {
  const order = { customerId: ID, productIds: ['1', ID] };
  expect(await post(`${url}/orders`, JSON.stringify(order))).toEqual({ status: 201, body: order });
  expect(await post(`${url}/orders`, `{"customerId":${ID},"productIds":["x"]}`)).toMatchObject({
    status: 400,
    body: {
      errors: [
        { path: ['customerId'], message: expect.stringContaining(NUMBER) },
        { path: ['productIds', 0], message: expect.stringContaining('other than decimal digits') },
      ],
    },
  });
  const id = { type: 'string', format: 'snowflake-id' };
  expect(await (await fetch(`${url}/api-json`)).json()).toMatchObject({
    components: {
      schemas: {
        CreateOrderDto: { properties: { customerId: id, productIds: { items: id } } },
      },
    },
  });
}

async function tryQueries(url: string): Promise<void> {
  const query = 'query ($id: SnowflakeID!) { echo(id: $id) }';
  expect(await ask(url, query, `{"id":"${ID}"}`)).toEqual({ status: 200, body: { data: { echo: ID } } });
  const extensions = { code: 'BAD_USER_INPUT', snowflakeCode: 'SNOWFLAKE_INVALID_ID' };
  expect(await ask(url, query, `{"id":${ID}}`)).toMatchObject({
    body: { errors: [{ message: expect.stringContaining(NUMBER), extensions }] },
  });
}
