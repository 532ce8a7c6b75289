import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { storeOfApp } from '../src/commands/stores/store-of-app.js';
import { type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import { operate } from './operator.js';

const COMPILER = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

const moduleWith = (options: string): string => `import { SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';

export const ids = SnowflakeModule.forRootAsync({ useFactory: (config: ConfigService) => (${options}) });
`;
const REDIS = "{ store: redisLeaseStore({ url: process.env.REDIS_URL, namespace: 'shop' }) }";

const folders: string[] = [];
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true })));

/** An app in a folder of its own. */
function appWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-store-')));
  folders.push(folder);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(COMPILER, join(folder, 'node_modules/typescript'));
  for (const [path, text] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const storeIn = (options: string, env = 'REDIS_URL=redis://in-file:6379', environment = {}) =>
  storeOfApp(appWith({ 'src/ids/ids.module.ts': moduleWith(options), '.env': env }), environment);

describe('the store of the app that a command finds', () => {
  it.each([
    ['an environment variable', REDIS, { redis: 'redis://in-file:6379', namespace: 'shop' }],
    [
      'the configuration of Nest, and an epoch',
      "{ epoch: '2025-01-01', store: redisLeaseStore({ namespace: 'shop', minReplicas: 1, url: config.getOrThrow<string>('REDIS_URL') }) }",
      { redis: 'redis://in-file:6379', namespace: 'shop', epoch: '2025-01-01', minReplicas: '1' },
    ],
    [
      'a database with an address in the source',
      "{ store: sqlLeaseStore({ url: 'sqlite:ids.sqlite', namespace: 'shop', createTable: true }) }",
      { database: 'sqlite:ids.sqlite', namespace: 'shop' },
    ],
  ])('is read from %s', (_, options, found) => {
    expect(storeIn(options)).toEqual({ epoch: undefined, ...found });
  });

  const typeOrm = (options: string): string => `import { TypeOrmModule } from '@nestjs/typeorm';
const columns = [{ type: 'bigint' }];
export const database = TypeOrmModule.forRoot(${options});
`;
  const storeOver = (options: string, environment = { DATABASE_URL: 'postgres://db/shop' }) =>
    storeOfApp(
      appWith({
        'src/ids/ids.module.ts': moduleWith("{ store: sqlLeaseStore({ dataSource, namespace: 'shop' }) }"),
        'src/app.module.ts': typeOrm(options),
      }),
      environment,
    );

  it('is read from the DataSource of the app, and from a schema, as setup writes them', () => {
    expect(storeOver("{ type: 'postgres', url: process.env.DATABASE_URL }")).toMatchObject({
      database: 'postgres://db/shop',
      namespace: 'shop',
    });
    const inSchema =
      "{ store: sqlLeaseStore({ url: process.env.PG, schema: 'snowflake', namespace: 'shop' }) }";
    expect(storeIn(inSchema, 'PG=postgres://db/shop')).toMatchObject({
      database: 'postgres://db/shop',
      schema: 'snowflake',
    });
  });

  it.each([
    ['has no url', "{ type: 'postgres', host: 'db' }", 'no url'],
    ['has a schema', "{ type: 'postgres', url: process.env.DATABASE_URL, schema: 'app' }", 'a schema'],
    [
      'is one of two',
      "[{ type: 'postgres', url: process.env.DATABASE_URL }, { type: 'postgres', url: 'postgres://db/logs' }]",
      'more than one DataSource',
    ],
  ])('is not guessed from a DataSource that %s', (_, options, problem) => {
    expect(() => storeOver(options)).toThrow(problem);
  });

  it('has the address of the environment rather than that of .env', () => {
    const environment = { REDIS_URL: 'redis://outside:6379' };
    expect(storeIn(REDIS, undefined, environment)).toMatchObject({ redis: 'redis://outside:6379' });
  });

  it.each([
    ['an unset variable', REDIS, 'REDIS_URL, which neither'],
    ['no store', '{}', 'no call of redisLeaseStore'],
    ['two stores', `[${REDIS}, ${REDIS}]`, 'more than one store'],
    [
      'a computed namespace',
      '{ store: redisLeaseStore({ url: "redis://a", namespace: name }) }',
      'option namespace',
    ],
    ['options from elsewhere', '{ store: redisLeaseStore(options) }', 'no options'],
    ['spread options', `{ ...shared, store: ${REDIS.slice(9, -2)} }`, 'come from elsewhere'],
    ['Sentinel', '{ store: redisLeaseStore({ sentinels, namespace: "shop" }) }', 'option sentinels'],
    [
      'a layout, without which the namespace would get another one',
      "{ layout: 'twitter', store: redisLeaseStore({ url: 'redis://a', namespace: 'shop' }) }",
      'sets layout',
    ],
  ])('is not guessed from %s', (_, options, problem) => {
    expect(() => storeIn(options, '')).toThrow(problem);
  });

  describe('on Redis', () => {
    let server: RedisServer;
    beforeAll(async () => (server = await startRedis()));
    afterAll(() => server.stop());

    it('is initialized by a command without flags, once', async () => {
      const cwd = appWith({ 'src/ids.module.ts': moduleWith(REDIS), '.env': `REDIS_URL=${server.url}` });
      expect(await operate(['init', '--yes'], { cwd })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('redis namespace "shop" is initialized'),
      });
      expect(await operate(['init', '--yes'], { cwd })).toMatchObject({ code: 3 });
    });

    it('is what workers and doctor look at without flags, in another namespace with --namespace', async () => {
      const cwd = appWith({ 'src/ids.module.ts': moduleWith(REDIS), '.env': `REDIS_URL=${server.url}` });
      const workers = (...args: string[]) => operate(['workers', ...args], { cwd });
      expect((await workers()).stdout).toContain('redis namespace "shop"');
      expect((await workers('--namespace', 'other')).stdout).toContain('redis namespace "other"');
      expect((await operate(['doctor', '--json'], { cwd })).stdout).toContain('NOT_PERSISTENT');
    });
  });
});
