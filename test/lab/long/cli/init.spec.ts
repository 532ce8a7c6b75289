import { Redis } from 'ioredis';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import libsql from 'libsql';
import { type DataSourceOptions } from 'typeorm';
import { databaseFor, type RedisServer, startRedis } from '../../../support/servers/index.js';
import { Files, operate, PASSWORD_IN_URL } from '../../../../libs/snowflake-cli/test/operator.js';

const TIMEOUT_MS = 240_000;

const files = new Files();
let server: RedisServer;
let operator: Redis;

beforeAll(async () => {
  server = await startRedis();
  operator = new Redis(server.url);
}, TIMEOUT_MS);
beforeEach(() => operator.flushall());
afterAll(async () => {
  operator.disconnect();
  await server.stop();
  files.remove();
});

/** Starts an app that waits for what an empty registry may have forgotten. Resolves to whether it boots or waits. */
async function firstBoot(store: LeaseStore): Promise<string> {
  const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'wait' } });
  try {
    return await new Promise((resolve, reject) => {
      ids.subscribe(({ type }) => type === 'waiting' && resolve('waits'));
      ids.start().then(() => resolve(`issues ${typeof ids.nextId()}`), reject);
    });
  } finally {
    await ids.stop();
  }
}

const redisStore = (namespace: string) => redisLeaseStore({ url: server.url, namespace });

async function inspected(store: LeaseStore) {
  await store.open?.({ callTimeoutMs: 10_000 });
  try {
    return await store.inspect();
  } finally {
    await store.close();
  }
}

describe('init', () => {
  it(
    'lets the first start on Redis issue at once, which waits without init (control)',
    async () => {
      const args = ['init', '--yes', '--redis', server.url, '--namespace', 'new'];
      expect(await operate(args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('redis namespace "new" is initialized'),
      });
      expect((await inspected(redisStore('new'))).rows).toMatchObject([{ workerId: 0, fencingToken: '' }]);
      expect(await firstBoot(redisStore('new'))).toBe('issues string');
      expect(await firstBoot(redisStore('without-init'))).toBe('waits');
    },
    TIMEOUT_MS,
  );

  it(
    'reports that a namespace is already initialized, and changes nothing',
    async () => {
      const args = ['init', '--yes', '--redis', server.url, '--namespace', 'twice'];
      expect((await operate(args)).code).toBe(0);
      const before = await operator.dumpBuffer('snowflake:{twice}');
      expect(await operate(args)).toMatchObject({
        code: 3,
        stdout: expect.stringContaining('already'),
      });
      expect(await operator.dumpBuffer('snowflake:{twice}')).toEqual(before);
      const other = await operate([...args, '--epoch', '2025-01-01']);
      expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('SNOWFLAKE_LAYOUT_MISMATCH') });
      expect(await operator.dumpBuffer('snowflake:{twice}')).toEqual(before);
    },
    TIMEOUT_MS,
  );

  it(
    'refuses to shorten the wait of a namespace that may have lost leases',
    async () => {
      const waiting = redisStore('waiting');
      expect(await firstBoot(waiting)).toBe('waits');
      const args = ['init', '--yes', '--redis', server.url, '--namespace', 'waiting'];
      expect((await operate(args)).code).toBe(3);
      expect(await firstBoot(redisStore('waiting'))).toBe('waits');
    },
    TIMEOUT_MS,
  );

  it.each(['postgres', 'mariadb', 'sqlite'] as const)(
    'creates the tables of %s with --create-table, and the first start issues at once, which waits without init (control)',
    async (kind) => {
      const url = kind === 'sqlite' ? `sqlite:${files.path('ids.sqlite')}` : await databaseFor(kind, 'init');
      const args = ['init', '--yes', '--database', url, '--namespace', 'shop'];
      expect((await operate(args)).code).toBe(1);
      expect((await operate([...args, '--create-table'])).code).toBe(0);
      expect((await operate(args)).code).toBe(3);
      const dataSource: DataSourceOptions =
        kind === 'sqlite'
          ? { type: 'better-sqlite3', driver: libsql, database: files.path('ids.sqlite') }
          : { type: kind, url };
      expect(await firstBoot(sqlLeaseStore({ dataSource, namespace: 'shop' }))).toBe('issues string');
      expect(await firstBoot(sqlLeaseStore({ dataSource, namespace: 'depot' }))).toBe('waits');
    },
    TIMEOUT_MS,
  );

  it(
    'takes the layout and the window of the app',
    async () => {
      const app = files.options(
        `{ epoch: '2025-01-01T00:00:00Z', lease: { windowMs: 90_000, workerCount: 100 },` +
          ` store: redisLeaseStore({ url: '${server.url}', namespace: 'app' }) }`,
      );
      expect((await operate(['init', '--yes', '--options', app])).code).toBe(0);
      expect(await inspected(redisStore('app'))).toMatchObject({
        layout: expect.stringMatching(/^v2 epoch=2025-01-01.* workers=0\+100$/),
        longestWindowMs: 90_000,
        longestMaxSkewMs: 7_500,
      });
      const conflict = await operate(['init', '--yes', '--options', app, '--window-ms', '60000']);
      expect(conflict).toMatchObject({ code: 2, stderr: expect.stringContaining('--window-ms') });
    },
    TIMEOUT_MS,
  );

  it.each(['redis', 'postgres', 'sqlite'] as const)(
    'refuses a namespace beside others on %s until one of them is named, and workers and doctor name them',
    async (kind) => {
      const file = files.path('beside.sqlite');
      const url = kind === 'sqlite' ? `sqlite:${file}` : '';
      const database = kind === 'postgres' ? await databaseFor(kind, 'beside') : url;
      const on = kind === 'redis' ? ['--redis', server.url] : ['--database', database];
      const run = (command: string, namespace: string, ...more: string[]) =>
        operate([command, ...on, '--namespace', namespace, ...more]);
      const init = (namespace: string, ...more: string[]) =>
        run('init', namespace, '--yes', ...(kind === 'redis' ? [] : ['--create-table']), ...more);
      const empty = { stdout: expect.stringContaining('is empty') };
      expect(await init('shop', '--new-beside', 'big')).toMatchObject({ code: 2 });
      expect(await init('shop')).toMatchObject({ code: 0 });

      const refused = {
        code: 2,
        stderr: expect.stringMatching(/--new-beside.*shop/),
      };
      expect(await init('shopp')).toMatchObject(refused);
      expect(await init('big')).toMatchObject({
        code: 2,
        stderr: expect.not.stringContaining('misspelling'),
      });
      expect(await run('workers', 'big')).toMatchObject({ code: 1, ...empty });
      expect(await init('big', '--new-beside', 'shop')).toMatchObject({ code: 0, stderr: '' });
      // An operator who always names the same neighbor would not notice the misspelling.
      expect(await init('shopp', '--new-beside', 'big')).toMatchObject(refused);

      const workers = await run('workers', 'shopp');
      expect(workers.stdout).toMatch(
        /is empty[^]*This server also has: shop, big\. Is shopp a misspelling of shop/,
      );
      const json = JSON.parse((await run('workers', 'shopp', '--json')).stdout) as {
        otherNamespaces?: string[];
      };
      expect(json.otherNamespaces).toEqual(['shop', 'big']);
      const { stdout } = await run('doctor', 'shopp', '--json');
      const { findings } = JSON.parse(stdout) as { findings: { code: string }[] };
      expect(findings.find(({ code }) => code === 'NAMESPACE_NEW')).toMatchObject({
        problem: expect.stringContaining('shop, big'),
        remedy: expect.stringMatching(/shop.*init --new-beside shop/),
      });
      expect(await init('shopp', '--new-beside', 'shop')).toMatchObject({ code: 0 });
    },
    TIMEOUT_MS,
  );

  it(
    'continues if the user may not list the namespaces, and reports that',
    async () => {
      const rules = '~snowflake:{new} -@all +eval +evalsha +time +info +hget +hset +hmget +hgetall'.split(
        ' ',
      );
      await operator.call('ACL', 'SETUSER', 'least', 'reset', 'on', 'nopass', ...rules);
      await operator.hset('snowflake:{shop}', 'fresh', '1');
      const url = server.url.replace('redis://', 'redis://least:any@');
      expect(await operate(['init', '--yes', '--redis', url, '--namespace', 'new'])).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('namespaces'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'refuses without a terminal, and shows no password',
    async () => {
      const url = `redis://app:${PASSWORD_IN_URL}@127.0.0.1:${server.port}`;
      const end = await operate(['init', '--redis', url, '--namespace', 'unasked']);
      expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
      const refused = await operate(['init', '--yes', '--redis', url, '--namespace', 'unasked']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('WRONGPASS') });
      expect(await operator.exists('snowflake:{unasked}')).toBe(0);
    },
    TIMEOUT_MS,
  );
});
