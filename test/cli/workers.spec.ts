import { Redis } from 'ioredis';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { registryOverview } from '../../libs/snowflake/src/lease/index.js';
import { overviewJson, overviewText } from '../../libs/snowflake/src/cli/commands/workers/show-overview.js';
import { durationText } from '../../libs/snowflake/src/cli/commands/workers/duration-text.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { MemoryTerminal } from './memory-terminal.js';
import { operate, PASSWORD, PASSWORD_IN_URL } from './operator.js';

const WITHIN_MS = 180_000;
const KEY = 'snowflake:{shop}';

let server: RedisServer;
let operator: Redis;

beforeAll(async () => {
  server = await startRedis();
  operator = new Redis(server.url);
});
afterAll(async () => {
  operator.disconnect();
  await server.stop();
});

describe('workers', () => {
  it(
    'shows who holds what, with the rights to read alone, and changes nothing',
    async () => {
      const store = redisLeaseStore({ url: server.url, namespace: 'shop' });
      const lease = { possibleLoss: 'ignore' } as const;
      const ids = new SnowflakeIdMaker({ store, lease, holderName: 'web-1/17' });
      await ids.start();
      const [seconds] = await operator.time();
      const longAgoMs = Number(seconds) * 1000 - 7_500_000;
      await operator.hset(
        KEY,
        '1',
        `${longAgoMs} 5b0e77d1c2a94f60:web-2/17@${longAgoMs - 60_000}`,
        '2',
        `${longAgoMs} `,
      );
      await operator.call(
        ...(['ACL', 'SETUSER', 'reader', 'on', `>${PASSWORD}`] as const),
        ...(`~${KEY} -@all +eval +evalsha +time +hgetall +info`.split(' ') as string[]),
      );
      const before = await operator.hgetall(KEY);
      const url = `redis://reader:${PASSWORD_IN_URL}@127.0.0.1:${server.port}`;

      const { code, stdout } = await operate(['workers', '--redis', url, '--namespace', 'shop']);

      expect(code).toBe(0);
      expect(stdout).toContain('worker IDs    3 of 1024 used: 1 held, 1 offline, 1 released\n');
      expect(stdout).toMatch(/^0 +held +web-1\/17 +\d+ s +-$/m);
      expect(stdout).toMatch(/^1 +offline +web-2\/17 +- +20\S+Z \(2 h 5 min ago\)$/m);
      expect(stdout).toMatch(/^2 +released +- +- +-$/m);
      const json = await operate(['workers', '--json', '--redis', url, '--namespace', 'shop']);
      expect(JSON.parse(json.stdout)).toMatchObject({
        store: 'redis namespace "shop"',
        longestWindowMs: 60_000,
        longestMaxSkewMs: 5_000,
        workerIds: { total: 1024, used: 3, held: 1, offline: 1, released: 1 },
        workers: [
          { workerId: 0, state: 'held', holder: 'web-1/17', windowLeftMs: expect.any(Number) },
          { workerId: 1, state: 'offline', offlineSince: new Date(longAgoMs).toISOString() },
          { workerId: 2, state: 'released' },
        ],
      });
      expect(await operator.hgetall(KEY)).toEqual({ ...before, 0: expect.any(String) });
      await ids.stop();
    },
    WITHIN_MS,
  );

  it('shows all other worker IDs if a field is unreadable, names that, and fails', async () => {
    const store = redisLeaseStore({ url: server.url, namespace: 'damaged' });
    const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' }, holderName: 'web-1' });
    await ids.start();
    await operator.hset('snowflake:{damaged}', '17', 'garbage', 'maxSkew', 'much');
    const flags = ['workers', '--redis', server.url, '--namespace', 'damaged'];
    const { code, stdout, stderr } = await operate(flags);
    const json = await operate([...flags, '--json']);
    await ids.stop();
    expect(stdout).toMatch(/^unreadable +17, maxSkew$/m);
    expect(stdout).toMatch(/^0 +held +web-1 /m);
    expect(code).toBe(1);
    expect(stderr).toMatch(/"17": "garbage".*SNOWFLAKE_STORE_CORRUPT/);
    expect(JSON.parse(json.stdout)).toMatchObject({
      unreadable: ['17', 'maxSkew'],
      workers: [{ workerId: 0, holder: 'web-1' }],
    });
  });

  it(
    'says that a namespace is empty, and fails on a database without the tables and on a missing file',
    async () => {
      const redis = await operate(['workers', '--redis', server.url, '--namespace', 'nobody']);
      expect(redis).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^redis namespace "nobody" is empty: .*\nThis server also has: shop/),
      });
      const database = await databaseFor('postgres', 'workers');
      const missing = await operate(['workers', '--database', database, '--namespace', 'shop']);
      expect(missing).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('CreateSnowflakeLeaseTables'),
      });
      const file = await operate([
        'workers',
        '--database',
        'sqlite:/nowhere/ids.sqlite',
        '--namespace',
        'shop',
      ]);
      expect(file).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') });
      const wrong = await operate([
        'workers',
        '--database',
        `oracle://a:${PASSWORD_IN_URL}@db/x`,
        '--namespace',
        'shop',
      ]);
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--database') });
    },
    WITHIN_MS,
  );
});

it('derives the state of a worker ID from the clock of the store', () => {
  const row = (workerId: number, reservedUntilMs: number, fencingToken = 'ab:host@1') => ({
    workerId,
    reservedUntilMs,
    fencingToken,
  });
  const { counts, total, workers } = registryOverview({
    storeNowMs: 1000,
    layout: 'v1 … workers=0+8',
    rows: [row(0, 1001), row(1, 1000), row(2, 5000, '')],
  });
  expect({ counts, total }).toEqual({ counts: { held: 1, offline: 1, released: 1 }, total: 8 });
  expect(workers[0]).toMatchObject({ windowLeftMs: 1, holder: 'host' });
});

it('shows the name of a holder without what a terminal would obey', () => {
  const overview = registryOverview({
    storeNowMs: 1000,
    layout: 'v1\u001B[2J … workers=0+8',
    historyId: 'run\r1',
    rows: [{ workerId: 0, reservedUntilMs: 2000, fencingToken: 'ab:web\u001B]0;title\u0007\n\u202Etxt@1' }],
  });
  const text = overviewText('a store', overview, new MemoryTerminal());
  expect(text).toContain('web\\u001b]0;title\\u0007\\u000a\\u202etxt');
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

it('cuts long texts of the registry in the table, so that a line fits a terminal, and not in JSON', () => {
  const long = `payments-api-${'x'.repeat(10_000)}-x2k9q/17`;
  const overview = registryOverview({
    storeNowMs: 1000,
    layout: `v1 ${'y'.repeat(10_000)} workers=0+8`,
    historyId: 'z'.repeat(10_000),
    rows: [
      { workerId: 0, reservedUntilMs: 2000, fencingToken: `ab:${long}@1` },
      { workerId: 1, reservedUntilMs: 2000, fencingToken: `ab:${'\u{1F600}'.repeat(500)}@1` },
      { workerId: 2, reservedUntilMs: 2000, fencingToken: 'ab:web-1/17@1' },
    ],
  });
  const text = overviewText('a store', overview, new MemoryTerminal());
  const holders = text.split('\n').slice(-4, -1);
  for (const line of holders) expect([...line].length).toBeLessThan(120);
  expect(holders[0]).toMatch(/ payments-api-x+…x*-x2k9q\/17 /);
  expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(300);
  expect(JSON.stringify(overviewJson('a store', overview))).toContain(long);
});

it.each([
  [-5, '0 ms'],
  [999, '999 ms'],
  [61_500, '1 min 1 s'],
  [7_200_000, '2 h'],
  [90_000_000, '1 d 1 h'],
])('writes %d ms as %s', (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
});
