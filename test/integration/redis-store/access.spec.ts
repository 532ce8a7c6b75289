import { Redis } from 'ioredis';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { leastRights } from '../../../libs/snowflake/src/stores/redis/registry-key.js';
import { SnowflakeError } from '../../../libs/snowflake/src/core/errors/snowflake-error.js';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { waitFor } from '../../support/wait.js';
import { answered, claimOf, firstRequest, granted, request } from './requests.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';

const REJECTED = 'SNOWFLAKE_STORE_REJECTED';
const UNAVAILABLE = 'SNOWFLAKE_STORE_UNAVAILABLE';
const LEAST_RIGHTS = leastRights('access');
const TIMEOUT_MS = 20_000;

const cleanUp = cleanUpAfterEach();

async function startServer(...args: string[]): Promise<RedisServer & { admin: Redis }> {
  const server = await startRedis({ args });
  cleanUp(() => server.stop());
  const admin = new Redis(server.url);
  cleanUp(async () => admin.disconnect());
  return Object.assign(server, { admin });
}

/** Has no user without a password. */
async function startRequiring(password: string): Promise<RedisServer> {
  const server = await startRedis({ args: ['--requirepass', password] });
  cleanUp(() => server.stop());
  return server;
}

async function openStore(
  options: Partial<RedisLeaseStoreOptions>,
  callTimeoutMs = 20_000,
): Promise<LeaseStore> {
  const store = redisLeaseStore({ namespace: 'access', ...options });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs });
  return store;
}

/** What a first lease is refused with. */
async function refusalOf(store: LeaseStore): Promise<SnowflakeError> {
  const reply: unknown = await store.lease(firstRequest('a')).catch((error: unknown) => error);
  if (reply instanceof SnowflakeError) return reply;
  throw new Error(`expected a refusal: ${JSON.stringify(reply)}`);
}

describe('the rights of a Redis user [promise: fail-closed]', () => {
  const RULES = LEAST_RIGHTS.split(' ');
  const RIGHTS = RULES.filter((rule) => rule.startsWith('+'));
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await startRedis({ args: ['--databases', '4'] });
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });
  beforeEach(async () => void (await admin.flushall()));

  /** Replaces the user of the app. Resolves to the URL that connects as it. */
  async function userWith(rules: readonly string[]): Promise<string> {
    await admin.acl('DELUSER', 'app');
    await admin.acl('SETUSER', 'app', 'on', '>secret', ...rules);
    return `redis://app:secret@127.0.0.1:${server.port}`;
  }

  async function keyIn(database: number): Promise<number> {
    const reader = new Redis(server.url, { db: database });
    try {
      return await reader.exists('snowflake:{access}');
    } finally {
      reader.disconnect();
    }
  }

  /** Every command of every script. */
  async function useEverything(url: string): Promise<void> {
    const store = await openStore({ url });
    const grant = await granted(store.lease(firstRequest('a', { workerCount: 2 })));
    await store.lease(request('b', { workerCount: 2, ...claimOf(grant) }));
    await granted(store.lease(request('c', { workerCount: 2 })));
    await store.lease(request('d', { workerCount: 2, retry: true }));
    await store.inspect();
    const { workerId, fencingToken, untilMs } = grant;
    await store.release({ workerId, fencingToken, lastUsedMs: untilMs });
  }

  it(`serves a user with the documented rights: ${LEAST_RIGHTS}`, async () => {
    await expect(useEverything(await userWith(RULES))).resolves.toBeUndefined();
  });

  it.each(RIGHTS)('rejects a user without %s, and the error names all rights', async (right) => {
    const url = await userWith(RULES.filter((rule) => rule !== right));
    const message = expect.stringContaining(LEAST_RIGHTS);
    await expect(useEverything(url)).rejects.toMatchObject({ code: REJECTED, message });
  });

  it('leases nothing in database 0 for a user of another database without +select', async () => {
    const url = await userWith(RULES);
    const message = expect.stringMatching(/\+select with a database other than 0/);
    await expect(useEverything(`${url}/2`)).rejects.toMatchObject({ code: REJECTED, message });
    expect(await keyIn(0)).toBe(0);
  });

  it('keeps the registry in another database for a user with +select', async () => {
    const url = await userWith([...RULES, '+select']);
    await useEverything(`${url}/2`);
    expect([await keyIn(0), await keyIn(2)]).toEqual([0, 1]);
  });

  it('serves minReplicas with these rights, and keeps the proof beside the registry', async () => {
    const url = await userWith([...RULES, '+select']);
    const store = await openStore({ url: `${url}/2`, minReplicas: 1 }, 1500);
    const reply = await answered(() => store.lease(firstRequest('a')));
    expect(reply).toMatchObject({ outcome: 'alone', replicas: 0 });
    expect([await keyIn(0), await keyIn(2)]).toEqual([0, 1]);
  });

  it('rejects a database that the server does not have for good', async () => {
    const store = await openStore({ options: { host: '127.0.0.1', port: server.port, db: 4 } });
    const message = expect.stringContaining('Use a database that the server has');
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: REJECTED, message });
    expect(await keyIn(0)).toBe(0);
  });

  it('reaches no other key with these rights', async () => {
    const url = await userWith(RULES);
    const client = new Redis(url, { keyPrefix: 'other:', lazyConnect: true });
    await expect(client.hset('key', 'a', 1)).rejects.toThrow(/NOPERM/);
    client.disconnect();
  });

  it.each([2, 3] as const)('rejects a wrong or missing password for good (RESP%d)', async (protocol) => {
    const { port } = await startRequiring('secret');
    const options = { protocol };
    const wrong = await openStore({ url: `redis://:no@127.0.0.1:${port}`, options });
    await expect(wrong.lease(request('a'))).rejects.toMatchObject({ code: REJECTED, retryable: false });
    await expect(wrong.lease(request('a'))).rejects.toMatchObject({ code: REJECTED });
    const missing = await openStore({ url: `redis://127.0.0.1:${port}`, options });
    await expect(missing.lease(request('a'))).rejects.toMatchObject({ code: REJECTED });
  });
});

describe('what a server answers [promise: fail-closed]', () => {
  it('throws that a replica is unavailable, and asks it for no grant', async () => {
    const { port } = await startServer();
    const replica = await startServer('--replicaof', '127.0.0.1', String(port));
    const store = await openStore({ url: replica.url });
    const refused = await waitFor('the replica to have loaded its copy', TIMEOUT_MS, async () => {
      const error = await refusalOf(store);
      return !error.message.includes('LOADING') && error;
    });
    const message = expect.stringContaining('READONLY');
    expect(refused).toMatchObject({ code: UNAVAILABLE, message });
  });

  it('throws that a server without free memory is unavailable, and writes nothing by half', async () => {
    const { url, admin } = await startServer('--maxmemory-policy', 'noeviction');
    const store = await openStore({ url });
    await admin.config('SET', 'maxmemory', '1');
    const message = expect.stringContaining('OOM');
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: UNAVAILABLE, message });
    await admin.config('SET', 'maxmemory', '0');
    expect(await admin.exists('snowflake:{access}')).toBe(0);
    await granted(store.lease(firstRequest('a')));
  });

  it('does not change a key of another type', async () => {
    const { url, admin } = await startServer();
    await admin.set('snowflake:{access}', 'mine');
    const store = await openStore({ url });
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_CORRUPT' });
    await expect(store.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_CORRUPT' });
    expect(await admin.get('snowflake:{access}')).toBe('mine');
  });

  it('rejects a server without scripts', async () => {
    const { url } = await startServer('--rename-command', 'EVAL', '');
    const store = await openStore({ url });
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: REJECTED });
  });

  it('throws that a cluster is unavailable that does not serve the slot yet', async () => {
    const { url } = await startServer('--cluster-enabled', 'yes');
    const store = await openStore({ url });
    const message = expect.stringContaining('CLUSTERDOWN');
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: UNAVAILABLE, message });
  });

  it('rejects a single server that is given as a cluster, with the remedy', async () => {
    const { port } = await startServer();
    const store = await openStore({ cluster: { nodes: [{ host: '127.0.0.1', port }] } }, 1_000);
    // Until the client knows better, a call ends with its bound.
    const refused = await waitFor('the client to ask for slots', TIMEOUT_MS, async () => {
      const error = await refusalOf(store);
      return error.code === REJECTED && error;
    });
    expect(refused.message).toContain('option url');
  });
});
