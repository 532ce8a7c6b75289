import { Redis } from 'ioredis';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { leastRights } from '../../../libs/snowflake/src/stores/redis/registry-key.js';
import { SnowflakeError } from '../../../libs/snowflake/src/core/errors/index.js';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { waitFor } from '../../support/wait.js';
import { answered, claimOf, firstRequest, granted, request } from './requests.js';

const REJECTED = 'SNOWFLAKE_STORE_REJECTED';
const UNAVAILABLE = 'SNOWFLAKE_STORE_UNAVAILABLE';
const LEAST_RIGHTS = leastRights('access');
const WITHIN_MS = 30_000;

const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startServer(...args: string[]): Promise<RedisServer & { admin: Redis }> {
  const server = await startRedis({ args });
  closing.push(() => server.stop());
  const admin = new Redis(server.url);
  closing.push(async () => admin.disconnect());
  return Object.assign(server, { admin });
}

async function openStore(
  options: Partial<RedisLeaseStoreOptions>,
  callTimeoutMs = 20_000,
): Promise<LeaseStore> {
  const store = redisLeaseStore({ namespace: 'access', ...options });
  closing.push(() => store.close());
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
  const RIGHTS = LEAST_RIGHTS.split(' ').filter((rule) => rule.startsWith('+'));

  async function serverWithUser(without?: string): Promise<string> {
    const { admin, port } = await startServer();
    const rules = LEAST_RIGHTS.split(' ').filter((rule) => rule !== without);
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', ...rules);
    return `redis://app:secret@127.0.0.1:${port}`;
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

  it(`are enough as documented: ${LEAST_RIGHTS}`, async () => {
    await expect(useEverything(await serverWithUser())).resolves.toBeUndefined();
  });

  it.each(RIGHTS)('are all needed, and the error names them: %s', async (right) => {
    const url = await serverWithUser(right);
    const message = expect.stringContaining(LEAST_RIGHTS);
    await expect(useEverything(url)).rejects.toMatchObject({ code: REJECTED, message });
  });

  it('with another database need +select, without which nothing is leased in database 0', async () => {
    const url = `${await serverWithUser()}/2`;
    const message = expect.stringMatching(/\+select with a database other than 0/);
    await expect(useEverything(url)).rejects.toMatchObject({ code: REJECTED, message });
    const reader = new Redis(url.replace(/\/2$/, ''));
    await expect(reader.hgetall('snowflake:{access}')).resolves.toEqual({});
    reader.disconnect();
  });

  it('with another database and +select are enough, and the registry lies there', async () => {
    const { admin, port } = await startServer();
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', ...LEAST_RIGHTS.split(' '), '+select');
    await useEverything(`redis://app:secret@127.0.0.1:${port}/2`);
    await expect(admin.exists('snowflake:{access}')).resolves.toBe(0);
    await admin.select(2);
    await expect(admin.exists('snowflake:{access}')).resolves.toBe(1);
  });

  it('are enough for minReplicas, whose proof lies beside the registry', async () => {
    const { admin, port } = await startServer();
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', ...LEAST_RIGHTS.split(' '), '+select');
    const store = await openStore({ url: `redis://app:secret@127.0.0.1:${port}/2`, minReplicas: 1 }, 5000);
    const reply = await answered(() => store.lease(firstRequest('a')));
    expect(reply).toMatchObject({ outcome: 'alone', replicas: 0 });
    await expect(admin.exists('snowflake:{access}')).resolves.toBe(0);
    await admin.select(2);
    await expect(admin.hkeys('snowflake:{access}')).resolves.toEqual(['proof']);
  });

  it('a database that the server does not have is a refusal for good', async () => {
    const { admin, port } = await startServer('--databases', '4');
    const store = await openStore({ options: { host: '127.0.0.1', port, db: 4 } });
    const message = expect.stringContaining('Use a database that the server has');
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: REJECTED, message });
    await expect(admin.exists('snowflake:{access}')).resolves.toBe(0);
  });

  it('do not reach other keys', async () => {
    const url = await serverWithUser();
    const client = new Redis(url, { keyPrefix: 'other:', lazyConnect: true });
    await expect(client.hset('key', 'a', 1)).rejects.toThrow(/NOPERM/);
    client.disconnect();
  });

  it.each([2, 3] as const)('a wrong or missing password is a refusal for good (RESP%d)', async (protocol) => {
    const server = await startRedis({ args: ['--requirepass', 'secret'] });
    const { port } = server;
    closing.push(() => server.stop());
    const options = { protocol };
    const wrong = await openStore({ url: `redis://:no@127.0.0.1:${port}`, options });
    await expect(wrong.lease(request('a'))).rejects.toMatchObject({ code: REJECTED, retryable: false });
    await expect(wrong.lease(request('a'))).rejects.toMatchObject({ code: REJECTED });
    const missing = await openStore({ url: `redis://127.0.0.1:${port}`, options });
    await expect(missing.lease(request('a'))).rejects.toMatchObject({ code: REJECTED });
  });
});

describe('what a server answers [promise: fail-closed]', () => {
  it('a replica is unavailable, and is not asked for grants', async () => {
    const { port } = await startServer();
    const replica = await startServer('--replicaof', '127.0.0.1', String(port));
    const store = await openStore({ url: replica.url });
    const refused = await waitFor('the replica to have loaded its copy', WITHIN_MS, async () => {
      const error = await refusalOf(store);
      return !error.message.includes('LOADING') && error;
    });
    const message = expect.stringContaining('READONLY');
    expect(refused).toMatchObject({ code: UNAVAILABLE, message });
  });

  it('a server without free memory is unavailable, and nothing is half written', async () => {
    const { url, admin } = await startServer('--maxmemory-policy', 'noeviction');
    const store = await openStore({ url });
    await admin.config('SET', 'maxmemory', '1');
    const message = expect.stringContaining('OOM');
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: UNAVAILABLE, message });
    await admin.config('SET', 'maxmemory', '0');
    expect(await admin.exists('snowflake:{access}')).toBe(0);
    await granted(store.lease(firstRequest('a')));
  });

  it('a key of another type is left alone', async () => {
    const { url, admin } = await startServer();
    await admin.set('snowflake:{access}', 'mine');
    const store = await openStore({ url });
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_CORRUPT' });
    await expect(store.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_CORRUPT' });
    expect(await admin.get('snowflake:{access}')).toBe('mine');
  });

  it('a server without scripts is refused', async () => {
    const { url } = await startServer('--rename-command', 'EVAL', '');
    const store = await openStore({ url });
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: REJECTED });
  });

  it('a cluster that does not serve the slot yet is unavailable', async () => {
    const { url } = await startServer('--cluster-enabled', 'yes');
    const store = await openStore({ url });
    const message = expect.stringContaining('CLUSTERDOWN');
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject({ code: UNAVAILABLE, message });
  });

  it('a single server given as a cluster is refused with the remedy', async () => {
    const { port } = await startServer();
    const store = await openStore({ cluster: { nodes: [{ host: '127.0.0.1', port }] } }, 1_000);
    // Until the client knows better, a call ends with its bound.
    const refused = await waitFor('the client to ask for slots', WITHIN_MS, async () => {
      const error = await refusalOf(store);
      return error.code === REJECTED && error;
    });
    expect(refused.message).toContain('option url');
  });
});
