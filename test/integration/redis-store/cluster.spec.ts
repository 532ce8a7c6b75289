import { Cluster, Redis } from 'ioredis';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { waitFor, within } from '../../support/wait.js';
import { claimOf, firstRequest, granted, request, renewed } from './requests.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';

const TIMEOUT_MS = 20_000;
const LONG_TIMEOUT_MS = 20_000;
/** Where a call must end without an answer. */
const HASTY_MS = 1000;

let nodes: RedisServer[] = [];
let admins: Redis[] = [];
const cleanUp = cleanUpAfterEach();

beforeAll(async () => {
  const args = ['--cluster-enabled', 'yes', '--requirepass', 'secret'];
  nodes = await Promise.all([startRedis({ args }), startRedis({ args })]);
  admins = nodes.map(({ port }) => new Redis(port, '127.0.0.1', { password: 'secret' }));
  const [first, second] = admins;
  await first?.cluster('ADDSLOTSRANGE', 0, 8191);
  await second?.cluster('ADDSLOTSRANGE', 8192, 16383);
  await first?.cluster('MEET', '127.0.0.1', nodes[1]?.port ?? 0);
  await waitFor('the cluster to serve', TIMEOUT_MS, async () => {
    const infos = await Promise.all(admins.map((admin) => admin.cluster('INFO')));
    return infos.every((info) => info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:2'));
  });
});
afterAll(async () => {
  for (const admin of admins) admin.disconnect();
  for (const node of nodes) await node.stop();
});

async function openStore(
  options: Partial<RedisLeaseStoreOptions>,
  namespace: string,
  callTimeoutMs = LONG_TIMEOUT_MS,
): Promise<LeaseStore> {
  const store = redisLeaseStore({ namespace, ...options });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs });
  return store;
}

const startupNodes = () => nodes.slice(0, 1).map(({ port }) => ({ host: '127.0.0.1', port }));
const redisOptions = { password: 'secret' };

/** Namespaces whose keys lie on the one node and on the other. */
const NAMESPACES = ['shop', 'audit', 'c', 'd', 'e', 'f'];

async function nodeOf(namespace: string): Promise<number> {
  const slot = Number(await admins[0]?.cluster('KEYSLOT', `snowflake:{${namespace}}`));
  return slot < 8192 ? 0 : 1;
}

async function namespaceOn(node: number): Promise<string> {
  for (const namespace of NAMESPACES) if ((await nodeOf(namespace)) === node) return namespace;
  throw new Error(`none of ${NAMESPACES.join()} lies on node ${node}`);
}

describe('a Redis Cluster', () => {
  it.each([0, 1])('serves leases if node %d has the key', async (node) => {
    const store = await openStore(
      { cluster: { nodes: startupNodes(), options: { redisOptions } } },
      await namespaceOn(node),
    );
    const grant = await granted(store.lease(firstRequest('a')));
    const { workerId, fencingToken, untilMs } = await renewed(
      grant,
      store.lease(request('b', claimOf(grant))),
    );
    expect(await store.release({ workerId, fencingToken, lastUsedMs: untilMs })).toEqual({
      outcome: 'released',
    });
    expect((await store.inspect()).rows).toEqual([{ workerId, fencingToken: '', reservedUntilMs: untilMs }]);
  });

  it("connects a duplicate of the app's client, with its password and without its key prefix", async () => {
    const client = new Cluster(startupNodes(), { keyPrefix: 'app:', redisOptions });
    cleanUp(async () => client.disconnect());
    const store = await openStore({ client }, 'duplicate');
    await granted(store.lease(firstRequest('a')));
    const owner = admins[await nodeOf('duplicate')];
    expect(await owner?.exists('snowflake:{duplicate}')).toBe(1);
  });

  it('rejects a cluster that is given as a single server', async () => {
    const options = { host: '127.0.0.1', port: nodes[0]?.port, ...redisOptions };
    const store = await openStore({ options }, await namespaceOn(1));
    const message = expect.stringContaining('use the option cluster');
    const rejected = { code: 'SNOWFLAKE_STORE_REJECTED', message };
    await expect(store.lease(firstRequest('a'))).rejects.toMatchObject(rejected);
  });

  it('settles calls to a node that hangs, and serves again afterwards', async () => {
    const store = await openStore(
      { cluster: { nodes: startupNodes(), options: { redisOptions } } },
      await namespaceOn(0),
      HASTY_MS,
    );
    await waitFor('the node to serve', TIMEOUT_MS, () => store.lease(request('a')).catch(() => undefined));
    nodes[0]?.pause();
    const unavailable = { code: 'SNOWFLAKE_STORE_UNAVAILABLE' };
    await expect(within('the call', TIMEOUT_MS, store.lease(request('b')))).rejects.toMatchObject(
      unavailable,
    );
    store.reconnect?.();
    await expect(within('the call', TIMEOUT_MS, store.lease(request('b')))).rejects.toMatchObject(
      unavailable,
    );
    nodes[0]?.resume();
    await waitFor('the node to serve again', TIMEOUT_MS, () =>
      store.lease(request('b')).catch(() => undefined),
    );
  });

  it('throws that the cluster is down, and serves again afterwards', async () => {
    const store = await openStore(
      { cluster: { nodes: startupNodes(), options: { redisOptions } } },
      await namespaceOn(0),
    );
    // Some slot that nobody asks for: a cluster serves all of them or none.
    await admins[0]?.cluster('DELSLOTS', 8191);
    const down = { code: 'SNOWFLAKE_STORE_UNAVAILABLE', message: expect.stringContaining('CLUSTERDOWN') };
    await waitFor('the node to be down', TIMEOUT_MS, async () =>
      (await admins[0]?.cluster('INFO'))?.includes('cluster_state:fail'),
    );
    await expect(within('the call', TIMEOUT_MS, store.lease(request('a')))).rejects.toMatchObject(down);
    await admins[0]?.cluster('ADDSLOTS', 8191);
    await waitFor('the node to serve again', TIMEOUT_MS, () =>
      store.lease(request('b')).catch(() => undefined),
    );
  });

  it('settles calls when no node is reachable', async () => {
    const nowhere = { cluster: { nodes: [{ host: '127.0.0.1', port: 1 }] } };
    const store = await openStore(nowhere, 'nowhere', HASTY_MS);
    const unavailable = { code: 'SNOWFLAKE_STORE_UNAVAILABLE' };
    await expect(within('the call', TIMEOUT_MS, store.lease(request('a')))).rejects.toMatchObject(
      unavailable,
    );
    await within('the store to close', TIMEOUT_MS, store.close());
  });
});
