import { leaseScript } from '../../../libs/snowflake/src/stores/redis/lease-script.js';
import { redisServer } from '../../../libs/snowflake/src/stores/redis/lua.js';
import { REDIS_MECHANISMS } from '../../../libs/snowflake/src/stores/redis/redis-connection.js';
import { RedisLeaseStore } from '../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { withoutAskingForName } from './altered-histories.js';
import { firstRequest } from './requests.js';
import { VirtualServer } from './virtual-server.js';

/*
 * Servers that can't be installed here, played by a real redis-server that says what they say. What each says is from its
 * source or its documentation; docs/stores/redis.md names which.
 */

const REPLICATION_ID = '8a7c'.repeat(10);
const RUN_ID = '51d0'.repeat(10);
const NO_ID = '0'.repeat(40);

const section = (name: string, ...lines: string[]): string => ['# ' + name, ...lines, ''].join('\r\n');
const about = (...lines: string[]): string => section('Server', ...lines);
const master = (...lines: string[]): string =>
  section('Replication', 'role:master', 'connected_slaves:0', ...lines);

const runId = `run_id:${RUN_ID}`;
const replicationId = `master_replid:${REPLICATION_ID}`;
/** A server of this shape, with more lines than Redis has. */
const likeRedis = (...lines: string[]): string =>
  about('redis_version:7.2.4', 'redis_git_sha1:00000000', ...lines, 'gcc_version:12.2.0', runId);

let server: RedisServer;
let virtual: VirtualServer;
let namespaces = 0;

beforeAll(async () => {
  // As appendonly is no, it changes nothing but what CONFIG shows.
  server = await startRedis({ args: ['--appendfsync', 'always'] });
});
afterAll(() => server.stop());
afterEach(() => virtual.close());

async function play(
  words: { about?: string; info?: string; settings?: string },
  ...more: ConstructorParameters<typeof VirtualServer> extends [unknown, unknown, ...infer Rest]
    ? Rest
    : never
): Promise<void> {
  namespaces += 1;
  virtual = new VirtualServer(server, `servers-${namespaces}`, ...more);
  await virtual.become({ nowMs: Date.UTC(2026, 0, 1), historyId: 'id/run' });
  await virtual.report({ about: likeRedis(), info: master(replicationId), ...words });
}

const lease = () => virtual.store.lease(firstRequest('a'));

async function expectRefused(message: RegExp, word: readonly string[]): Promise<void> {
  const refused = { code: 'SNOWFLAKE_STORE_REJECTED', message: expect.stringMatching(message) };
  await expect(lease()).rejects.toMatchObject(refused);
  expect(await virtual.rawProve()).toEqual(word);
  expect(await virtual.fields()).toEqual({});
}

describe('a server that shows its history', () => {
  it.each([
    ['Redis 5', about('redis_version:5.0.14', 'redis_mode:standalone', 'gcc_version:8.3.0', runId)],
    [
      'Redis 8',
      about('redis_version:8.0.2', 'redis_git_sha1:0', 'redis_mode:cluster', 'clang_version:18', runId),
    ],
    [
      'Valkey',
      about('redis_version:7.2.4', 'server_name:valkey', 'valkey_version:8.0.1', 'gcc_version:12.2.0', runId),
    ],
    [
      'KeyDB',
      about(
        'redis_version:6.3.4',
        'gcc_version:9.4.0',
        runId,
        'executable:/keydb-server',
        'features:cluster_mget',
      ),
    ],
    ['Amazon ElastiCache', about('redis_version:7.1.0', 'os:Amazon ElastiCache', 'gcc_version:0.0.0', runId)],
    ['a path that reads like a name', likeRedis('executable:/opt/other_version:2/redis-server')],
  ])('grants leases on a server that shows its history: %s', async (_, words) => {
    await play({ about: words });
    expect(await lease()).toMatchObject({ outcome: 'new', workerId: 0 });
    expect((await virtual.store.inspect()).historyId).toBe(`${REPLICATION_ID}/${RUN_ID}`);
  });
});

describe('a server known to lose writes undetected', () => {
  const dragonfly = {
    about: about('redis_version:7.4.0', 'dragonfly_version:df-v1.30.0', 'redis_mode:standalone'),
  };
  const garnet = about('garnet_version:1.0.60', 'server_name:garnet', runId, 'redis_version:7.4.3');

  it.each([
    ['Dragonfly', 'dragonfly', dragonfly],
    ['Garnet', 'garnet', { about: garnet, info: master(`master_replid:${NO_ID}`) }],
    ['Garnet', 'garnet', { about: garnet, info: master(`master_replid:${RUN_ID}`) }],
    [
      'Apache Kvrocks',
      'kvrocks',
      {
        about: about('version:2.9.0', 'kvrocks_version:2.9.0', 'redis_version:4.0.0', 'process_id:7'),
        info: master('master_repl_offset:12'),
      },
    ],
    ['Upstash', 'upstash', { about: about('upstash_version:1.10.5', 'redis_version:6.2.6', runId) }],
  ])('refuses a server that loses writes, by its name: %s', async (title, name, words) => {
    await play(words);
    await expectRefused(new RegExp(`runs on ${title}, which .*sqlLeaseStore`), ['SERVER', name]);
  });
});

describe('an unknown server', () => {
  const redict = likeRedis('redict_version:7.3.0');
  const vouched = { assumeNoLostWrites: true };

  it.each([
    ['by its version', redict, 'redict'],
    ['by its name', likeRedis('server_name:redict'), 'redict'],
    ['beside a name that is known', likeRedis('server_name:valkey', 'my-fork_version:1'), 'my-fork'],
  ])('refuses an unknown server %s', async (_, words, name) => {
    await play({ about: words });
    await expectRefused(new RegExp(`"${name}".*assumeNoLostWrites: true`), ['SERVER', name]);
  });

  it('serves an unknown server if its name is not checked (control)', async () => {
    await play({ about: redict }, withoutAskingForName);
    expect(await lease()).toMatchObject({ outcome: 'new' });
  });

  it.each([redict, likeRedis('server_name:redict', 'redict_version:7.3.0')])(
    'serves an unknown server if the operator asserts that it loses no write',
    async (words) => {
      await play({ about: words }, undefined, vouched);
      expect(await lease()).toMatchObject({ outcome: 'new' });
    },
  );

  it.each([
    ['one that is known to be unsound', { about: likeRedis('dragonfly_version:df-v1') }, 'Dragonfly'],
    [
      'one with two names, one unsound',
      { about: likeRedis('server_name:redict', 'kvrocks_version:2') },
      'Kvrocks',
    ],
    ['one that has no run ID', { about: about('redis_version:7.2.4', 'redict_version:7.3.0') }, 'run_id'],
    ['one that has no replication ID', { about: redict, info: master() }, 'master_replid'],
  ])('refuses a server despite the assertion of the operator: %s', async (_, words, problem) => {
    await play(words, undefined, vouched);
    await expect(lease()).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining(problem),
    });
    expect(await virtual.fields()).toEqual({});
  });
});

describe('the assertion that a server loses no write', () => {
  const vouched = { assumeNoLostWrites: true };
  const settings = (...lines: string[]): string => section('Memory', ...lines);
  const evicting = settings('maxmemory:1000000', 'maxmemory_policy:allkeys-lru');

  it.each([
    ['appendonly is no', settings('aof_enabled:0')],
    ['maxmemory-policy is allkeys-lru', evicting],
  ])('refuses the assertion that no write is lost if the server refutes it: %s', async (problem, said) => {
    await play({ settings: said }, undefined, vouched);
    await expect(lease()).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringMatching(new RegExp(`assumeNoLostWrites.*${problem}`)),
    });
    expect(await virtual.fields()).toEqual({});
  });

  it.each([
    ['evicts nothing', settings('aof_enabled:1', 'maxmemory:0', 'maxmemory_policy:allkeys-lru')],
    ['does not show its settings', ''],
  ])('accepts the assertion that no write is lost if the server %s', async (_, said) => {
    await play({ settings: said }, undefined, vouched);
    expect(await lease()).toMatchObject({ outcome: 'new' });
  });

  it('serves a server with lossy settings without the assertion (control)', async () => {
    await play({ settings: `${settings('aof_enabled:0')}${evicting}` });
    expect(await lease()).toMatchObject({ outcome: 'new' });
  });

  it('refuses the assertion on a real server that keeps nothing on disk', async () => {
    await play({});
    const store = new RedisLeaseStore({ url: server.url, namespace: virtual.namespace, ...vouched });
    store.open({ callTimeoutMs: 10_000 });
    await expect(store.lease(firstRequest('a'))).rejects.toThrow('appendonly is no');
    await store.close();
  });
});

describe('a server that hides its history', () => {
  it.each([
    ['redis_version', { about: about(runId) }, 'INFO server'],
    ['redis_version', { about: '' }, 'INFO server'],
    ['run_id', { about: about('redis_version:7.0.15') }, 'INFO server'],
    ['run_id', { about: about('redis_version:7.0.15', 'run_id:') }, 'INFO server'],
    ['role', { info: section('Replication', replicationId) }, 'INFO replication'],
    ['role', { info: '' }, 'INFO replication'],
    ['master_replid', { info: master(`x${replicationId}`) }, 'INFO replication'],
    [
      'master_replid',
      { info: master(`master_replid:${NO_ID}`, `master_replid2:${REPLICATION_ID}`) },
      'INFO replication',
    ],
  ])('refuses a server that hides its history, and names what it hides: %s', async (field, words, where) => {
    await play(words);
    await expectRefused(new RegExp(`doesn't show ${field} in ${where}`), ['HIDDEN', field]);
  });

  it('refuses a server whose scripts may not call INFO', async () => {
    namespaces += 1;
    virtual = new VirtualServer(server, `servers-${namespaces}`);
    // A server says the same of every command that scripts may not use.
    const scripts = {
      ...REDIS_MECHANISMS,
      lease: leaseScript({ ...redisServer, serverInfo: `redis.call('MULTI')` }),
    };
    const store = new RedisLeaseStore({ url: server.url, namespace: virtual.namespace }, scripts);
    store.open({ callTimeoutMs: 10_000 });
    const message = expect.stringMatching(/not allowed from script.*Redis Enterprise and Redis Cloud/);
    const refused = { code: 'SNOWFLAKE_STORE_REJECTED', message };
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject(refused);
    await store.close();
  });
});

describe('the role of a server', () => {
  const withRole = (role: string): string => section('Replication', `role:${role}`, replicationId);

  it.each(['slave', 'replica'])(
    'throws a retryable error for the role %s, since another server is the master',
    async (role) => {
      await play({ info: withRole(role) });
      const unavailable = {
        code: 'SNOWFLAKE_STORE_UNAVAILABLE',
        message: expect.stringContaining('READONLY'),
      };
      await expect(lease()).rejects.toMatchObject(unavailable);
      expect(await virtual.fields()).toEqual({});
    },
  );

  it.each(['active-replica', 'sentinel'])(
    'refuses the role %s, since others may accept writes too',
    async (role) => {
      await play({ info: withRole(role) });
      await expectRefused(new RegExp(`has the role "${role}".*active-replica no`), ['ROLE', role]);
    },
  );
});
