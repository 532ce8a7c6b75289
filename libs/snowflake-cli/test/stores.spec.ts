import { Redis } from 'ioredis';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { runCommandLine } from '../src/command-line.js';
import { examinePackages } from '../src/commands/doctor/packages-check.js';
import { RedisProbe } from '../src/commands/doctor/redis-probe.js';
import { examineSettingsOf } from '../src/commands/doctor/redis-settings.js';
import { isConfirmed } from '../src/commands/init/confirm.js';
import { initializeNamespace } from '../src/commands/init/initialize-namespace.js';
import { comparedNeighbors, neighborsText } from '../src/commands/stores/neighbors.js';
import { durationText } from '../src/commands/workers/duration-text.js';
import { overviewJson, overviewText } from '../src/commands/workers/show-overview.js';
import { layoutOf } from '../../snowflake/src/core/layout/layout-of.js';
import { keeperSettings } from '../../snowflake/src/lease/lease-options.js';
import { registryOverview } from '../../snowflake/src/lease/registry-overview.js';
import { databaseFor, type RedisServer, startRedis } from '../../../test/support/servers/index.js';
import { waitFor } from '../../../test/support/wait.js';
import { MemoryTerminal } from './memory-terminal.js';
import { Files, operate, operateSeveral, PASSWORD, PASSWORD_IN_URL } from './operator.js';
import { runHere } from './run-here.js';

const KEY = 'snowflake:{shop}';
const SETTINGS = keeperSettings(layoutOf(undefined, undefined), {});
const NONCE = '0123456789abcdef:init';

let server: RedisServer;
let operator: Redis;
const files = new Files();

beforeAll(async () => {
  server = await startRedis({ persistence: 'aof' });
  operator = new Redis(server.url);
});
afterAll(async () => {
  files.remove();
  operator.disconnect();
  await server.stop();
});

describe('the command decode with a store', () => {
  it('names the process that generated an ID, or why it is unknown', async () => {
    const store = redisLeaseStore({ url: server.url, namespace: 'decoded' });
    const lease = { possibleLoss: 'ignore' } as const;
    const ids = new SnowflakeIdMaker({ store, lease, holderName: 'web-1/17', epoch: '2025-01-01T00:00:00Z' });
    await ids.start();
    const id = ids.nextId();
    const { workerId, timestampMs } = ids.decode(id);
    const earlier = String(BigInt(id) - (86_400_000n << 22n));
    const flags = ['decode', '--json', '--redis', server.url, '--namespace', 'decoded'];
    const madeBy = async (...args: readonly string[]): Promise<unknown> =>
      (JSON.parse((await runHere([...flags, ...args])).stdout) as { madeBy?: unknown }).madeBy;
    const from = expect.any(String);
    expect({ workerId, timestampMs }).toEqual({ workerId: 0, timestampMs: expect.any(Number) });
    // The layout is that of the namespace.
    expect(await madeBy(id)).toEqual({ origin: 'holder', holder: 'web-1/17', from });
    expect(await madeBy(earlier)).toMatchObject({ origin: 'former' });
    expect(await madeBy(String(BigInt(id) + 4096n))).toEqual({ origin: 'nobody' });
    expect(await madeBy(id, '--layout', 'twitter')).toEqual({ origin: 'unknown' });
    const { stdout } = await runHere([...flags.filter((flag) => flag !== '--json'), id]);
    expect(stdout).toMatch(/^  by {5}web-1\/17 \(its window begins after 20/m);
    await ids.stop();
    expect(await madeBy(id)).toEqual({ origin: 'former' });
    // Control: without a store, nobody is asked.
    expect(JSON.parse((await runHere(['decode', '--json', id])).stdout)).not.toHaveProperty('madeBy');
  });
});

describe('the command workers', () => {
  it('shows who holds which worker ID, needs the rights to read alone, and changes nothing', async () => {
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

    const flags = ['--redis', url, '--namespace', 'shop'];
    const { code, stdout } = await operate(['workers', ...flags]);
    const json = await runHere(['workers', '--json', ...flags]);

    expect(code).toBe(0);
    expect(stdout).toContain('worker IDs    3 of 1024 used: 1 held, 1 offline, 1 released\n');
    expect(stdout).toMatch(/^0 +held +web-1\/17 +\d+ s +-$/m);
    expect(stdout).toMatch(/^1 +offline +web-2\/17 +- +20\S+Z \(2 h 5 min ago\)$/m);
    expect(stdout).toMatch(/^2 +released +- +- +-$/m);
    expect(JSON.parse(json.stdout)).toMatchObject({
      store: 'redis namespace "shop"',
      longestWindowMs: 60_000,
      longestMaxSkewMs: 5_000,
      workerIds: { total: 1024, used: 3, held: 1, offline: 1, released: 1, reserved: 0 },
      workers: [
        { workerId: 0, state: 'held', holder: 'web-1/17', windowLeftMs: expect.any(Number) },
        { workerId: 1, state: 'offline', offlineSince: new Date(longAgoMs).toISOString() },
        { workerId: 2, state: 'released' },
      ],
    });
    expect(await operator.hgetall(KEY)).toEqual({ ...before, 0: expect.any(String) });
    await ids.stop();
  });

  it('shows only the worker IDs that somebody asks for, and the counts of all', async () => {
    const key = 'snowflake:{filtered}';
    const nowMs = Date.now();
    const token = (holder: string) => `5b0e77d1c2a94f60:${holder}@${nowMs - 60_000}`;
    const layout = 'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12';
    await operator.hset(key, {
      layout: `v2 ${layout} workers=0+1024`,
      0: `${nowMs + 600_000} ${token('orders-1/1')}`,
      1: `${nowMs - 60_000} ${token('orders-2/1')}`,
      41: `${nowMs + 600_000} ${token('payments-1/1')}`,
      42: `${nowMs - 60_000} `,
    });
    const flags = ['workers', '--redis', server.url, '--namespace', 'filtered'];
    const idsOf = async (...chosen: readonly string[]): Promise<number[]> => {
      const { code, stdout } = await runHere([...flags, '--json', ...chosen]);
      const { workers, workerIds } = JSON.parse(stdout) as {
        workers: { workerId: number }[];
        workerIds: object;
      };
      expect({ code, workerIds }).toMatchObject({ code: 0, workerIds: { held: 2, offline: 1, released: 1 } });
      return workers.map(({ workerId }) => workerId);
    };
    expect(await idsOf('--worker', '41')).toEqual([41]);
    expect(await idsOf('--state', 'held')).toEqual([0, 41]);
    expect(await idsOf('--state', 'released')).toEqual([42]);
    expect(await idsOf('--holder', 'ORDERS')).toEqual([0, 1]);
    expect(await idsOf('--holder', 'orders', '--state', 'offline')).toEqual([1]);
    expect(await idsOf('--worker', '7')).toEqual([]);
    const { stdout } = await runHere([...flags, '--worker', '7']);
    expect(stdout).toContain('4 of 1024 used');
    expect(stdout).toContain('No worker ID matches.');
    expect((await runHere([...flags, '--state', 'gone'])).code).toBe(2);
    expect((await runHere([...flags, '--worker', 'x'])).code).toBe(2);
  });

  it('shows the list again with --watch, goes on after an error, and ends on a signal', async () => {
    const store = redisLeaseStore({ url: server.url, namespace: 'watched' });
    const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' }, holderName: 'web-1' });
    await ids.start();
    const terminal = new MemoryTerminal();
    const flags = ['workers', '--watch', '--redis', server.url, '--namespace', 'watched'];
    const ended = runCommandLine(flags, terminal);
    await waitFor('a list', 20_000, () => terminal.output.includes('web-1'));
    await operator.hset('snowflake:{watched}', '17', 'garbage');
    await waitFor('an error', 20_000, () => terminal.errors.includes('SNOWFLAKE_STORE_CORRUPT'));
    await operator.hdel('snowflake:{watched}', '17');
    await operator.hset('snowflake:{watched}', '18', '1 ');
    await waitFor('the next list', 20_000, () => /^18 +released/m.test(terminal.output));
    // As Ctrl+C does.
    process.emit('SIGINT');
    expect(await ended).toBe(0);
    await ids.stop();
  });

  it('shows all other worker IDs if a field is unreadable, names the field, and fails', async () => {
    const store = redisLeaseStore({ url: server.url, namespace: 'damaged' });
    const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' }, holderName: 'web-1' });
    await ids.start();
    await operator.hset('snowflake:{damaged}', '17', 'garbage', 'maxSkew', 'much');
    const flags = ['workers', '--redis', server.url, '--namespace', 'damaged'];
    const { code, stdout, stderr } = await runHere(flags);
    const json = await runHere([...flags, '--json']);
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

  it('prints that a namespace is empty, and fails on a database without tables and on a missing file', async () => {
    const database = await databaseFor('postgres', 'workers');
    const of = (...source: string[]) => ['workers', ...source, '--namespace'];
    const [redis, withoutTables, withoutFile, wrong] = await operateSeveral(
      [...of('--redis', server.url), 'nobody'],
      [...of('--database', database), 'shop'],
      [...of('--database', 'sqlite:/nowhere/ids.sqlite'), 'shop'],
      [...of('--database', `oracle://a:${PASSWORD_IN_URL}@db/x`), 'shop'],
    );
    expect(redis).toMatchObject({
      // As for a missing file: a misspelled name must not look like success.
      code: 1,
      stdout: expect.stringMatching(/^redis namespace "nobody" is empty: .*\nThis server also has: .*shop/),
    });
    expect(withoutTables).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CreateSnowflakeLeaseTables'),
    });
    expect(withoutFile).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--database') });
  });
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
  expect({ counts, total }).toEqual({ counts: { held: 1, offline: 1, released: 1, reserved: 0 }, total: 8 });
  expect(workers[0]).toMatchObject({ windowLeftMs: 1, holder: 'host' });
});

it('shows the name of a holder without control characters of the terminal', () => {
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

it('cuts long texts of the registry in the table, but not in JSON', () => {
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
])('writes a duration of %d ms as %s', (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
});

describe('the namespaces beside an empty one', () => {
  it.each([
    ['shopp', 'shop'],
    ['shpo', 'shop'],
    ['SHOP', 'shop'],
    ['sho', 'shop'],
    ['shop.eu', 'ship.eu'],
    ['big', undefined],
    ['shop-orders', undefined],
  ])('finds the namespace that is probably meant by %s', (namespace, nearest) => {
    const beside = comparedNeighbors(namespace, ['audit', 'ship.eu', 'shop']);
    expect(beside.nearest).toBe(nearest);
    expect(neighborsText(beside).includes('misspelling')).toBe(nearest !== undefined);
  });

  it('leaves out the namespace itself and invalid names, and lists only a few others', () => {
    const all = ['shop', 'evil \u202e', '', ...Array.from({ length: 12 }, (_, index) => `tenant-${index}`)];
    const beside = comparedNeighbors('shop', all);
    expect(beside).toMatchObject({ isStored: true, nearest: undefined });
    expect(beside.others).toHaveLength(12);
    expect(neighborsText(beside)).toContain('and 2 more');
    expect(neighborsText(comparedNeighbors('shop', ['shop']))).toBe('');
  });
});

it('accepts only the name of the namespace as confirmation', async () => {
  const terminalTyping = (...answers: string[]) =>
    Object.assign(new MemoryTerminal(answers), { isErrorInteractive: true, isInputInteractive: true });
  for (const [answer, expected] of [
    ['shop', true],
    [' shop ', true],
    ['y', false],
    ['', false],
  ] as const) {
    const terminal = terminalTyping(answer, 'shop');
    expect(await isConfirmed(terminal, 'Type shop: ', 'shop')).toBe(expected);
    expect(terminal.errors).toBe('Type shop: ');
  }
  expect(await isConfirmed(terminalTyping(), 'Type shop: ', 'shop')).toBe(false);
});

describe('the command init beside an app that starts at the same moment', () => {
  /** A store whose namespace another process has made since the first look. */
  async function overtaken(
    name: string,
    other: (store: LeaseStore) => Promise<unknown>,
  ): Promise<LeaseStore> {
    const store = redisLeaseStore({ url: server.url, namespace: name });
    await store.open?.({ callTimeoutMs: 10_000 });
    const inspect = store.inspect.bind(store);
    store.inspect = async () => {
      const empty = await inspect();
      await other(store);
      return empty;
    };
    return store;
  }
  const request = {
    layout: SETTINGS.fingerprint,
    firstWorkerId: 0,
    workerCount: 1024,
    windowMs: 60_000,
    maxSkewMs: 5_000,
    nonce: 'fedcba9876543210:app',
    retry: false,
    assumeNew: false,
    searchSeed: 0,
  };

  it('does not shorten the wait of an app that was faster', async () => {
    const store = await overtaken('overtaken-by-app', (own) => own.lease(request));
    try {
      expect(await initializeNamespace(store, SETTINGS, NONCE)).toBe('already in use');
      expect(await store.lease({ ...request, retry: true })).toMatchObject({
        outcome: 'wait',
        reason: 'empty',
      });
    } finally {
      await store.close();
    }
  });

  it('returns its worker ID if another init was faster', async () => {
    const name = 'overtaken-by-init';
    const store = await overtaken(name, (own) => own.lease({ ...request, assumeNew: true }));
    try {
      expect(await initializeNamespace(store, SETTINGS, NONCE)).toBe('already in use');
      const held = (await redisRows(name)).filter(
        ([field, row]) => /^\d+$/.test(field) && !row.endsWith(' '),
      );
      expect(held).toEqual([['0', expect.stringContaining(':app@')]]);
    } finally {
      await store.close();
    }
  });

  async function redisRows(name: string): Promise<[string, string][]> {
    return Object.entries(await operator.hgetall(`snowflake:{${name}}`));
  }
});

describe('the doctor on packages', () => {
  it('finds every installed package out of its range, and no other', () => {
    const fine = files.project('fine', { '@nestjs/core': '11.1.0', ioredis: '6.0.0', typeorm: '0.3.28' });
    expect(examinePackages(fine, '22.12.0')).toEqual([]);
    const old = files.project('old', { '@nestjs/core': '10.4.1', ioredis: '5.4.0', typeorm: '1.2.0' });
    expect(examinePackages(old, '24.1.0')).toMatchObject([
      { code: 'PEER_VERSION', problem: expect.stringContaining('@nestjs/core is 10.4.1') },
      { code: 'PEER_VERSION', remedy: expect.stringMatching(/^Run: npm install ioredis@"\^/) },
    ]);
    expect(examinePackages(fine, '20.18.0')).toMatchObject([{ code: 'NODE_VERSION' }]);
  });

  it('finds no package where the library is not installed', () => {
    expect(examinePackages(files.path('nowhere'), '18.0.0')).toEqual([]);
  });
});

it('warns if Redis shows its eviction policy nowhere', async () => {
  const trust = { minReplicas: 0, assumeNoLostWrites: false };
  const probe = new RedisProbe(
    { url: `redis://blind:any@127.0.0.1:${server.port}`, namespace: 'shop' },
    10_000,
  );
  try {
    await operator.call('ACL', 'SETUSER', 'blind', 'on', 'nopass', '~*', '+@all', '-config');
    const info = await operator.info();
    expect(await examineSettingsOf(probe, info, trust)).toEqual([]);
    const hidden = info.replace(/^maxmemory_policy:.*$/m, '');
    expect(await examineSettingsOf(probe, hidden, trust)).toMatchObject([
      { code: 'EVICTION_UNKNOWN', severity: 'warning' },
    ]);
  } finally {
    probe.close();
  }
});
