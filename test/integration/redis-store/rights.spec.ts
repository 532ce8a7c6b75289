import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { StoreRejectedError } from '../../../libs/snowflake/src/core/errors/lease-errors.js';
import { CLUSTER_RIGHT, leastRights } from '../../../libs/snowflake/src/stores/redis/registry-key.js';
import { OperatedRedis } from '../../support/operated-redis.js';
import { waitFor } from '../../support/wait.js';
import { claimOf, firstRequest, granted, request, renewed } from './requests.js';
import { cleanUpAfterAll, cleanUpAfterEach } from '../../support/clean-up.js';

const TIMEOUT_MS = 20_000;
/** A client of a cluster that is refused tries again until the end of its call. */
const HASTY_MS = 1500;
const NAMESPACE = 'shop';

const PAGE = readFileSync(new URL('../../../docs/stores/redis.md', import.meta.url), 'utf8');
/** What docs/stores/redis.md tells an operator to type. */
const [single = '', ...others] = PAGE.match(/^ACL SETUSER .*$/gm) ?? [];
const [, addedInCluster = ''] = /Redis Cluster, add `([^`]+)`/.exec(PAGE) ?? [];
const inCluster = `${single} ${addedInCluster}`;

const cleanUp = cleanUpAfterEach();
const cleanUpLater = cleanUpAfterAll();

const DANGEROUS = [
  ['CLUSTER', 'RESET', 'HARD'],
  ['CLUSTER', 'FAILOVER', 'TAKEOVER'],
  ['CLUSTER', 'FORGET', '0'.repeat(40)],
  ['CLUSTER', 'DELSLOTS', '1'],
  ['CONFIG', 'SET', 'maxmemory', '1'],
  ['SLAVEOF', 'NO', 'ONE'],
  ['REPLICAOF', 'NO', 'ONE'],
  ['FLUSHALL'],
  ['SHUTDOWN'],
  ['ACL', 'SETUSER', 'snowflake', '+@all'],
  ['DEL', `snowflake:{${NAMESPACE}}`],
  ['HSET', 'snowflake:{other}', 'window', '1'],
  ['HGETALL', 'snowflake:{shop}s'],
  ['EVAL', "return redis.call('HSET', KEYS[1], 'window', '1')", '1', 'snowflake:{other}'],
  ['EVAL', "return redis.call('FLUSHALL')", '0'],
] as const;

describe('the rights that docs/stores/redis.md prints', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });

  it('names the same rights as the errors of the store', () => {
    expect(single).toBe(`ACL SETUSER snowflake on >password ${leastRights(NAMESPACE)}`);
    expect(addedInCluster).toBe(CLUSTER_RIGHT);
    expect(others).toEqual([]);
  });

  it('prints enough for a single server, and nothing else', async () => {
    const { port, operator } = await OperatedRedis.start(cleanUp);
    const node = { host: '127.0.0.1', port };
    const credentials = await type(single, operator);
    await holdLease({ options: { ...node, ...credentials } });
    await expectRefused(connect(node, credentials));
  });

  it('prints enough for a Redis Cluster, and nothing else', async () => {
    const { users, cluster: options } = await withRights(cluster, inCluster);
    await holdLease({ cluster: options });
    for (const user of users) await expectRefused(user);
  });

  it(`names ${CLUSTER_RIGHT} in the error if a user of a Redis Cluster lacks it`, async () => {
    const { cluster: options } = await withRights(cluster, single);
    // Until the client knows better, a call ends with its bound.
    const refused = await waitFor('the client to ask for slots', TIMEOUT_MS, async () => {
      const refusal: unknown = await holdLease({ cluster: options }, HASTY_MS).catch(
        (error: unknown) => error,
      );
      return refusal instanceof StoreRejectedError && refusal;
    });
    expect(refused.message).toContain(CLUSTER_RIGHT);
  });

  // The last one: it leaves a node without the cluster.
  it('lets the user forget and reset nodes with +cluster (control)', async () => {
    const { users } = await withRights(cluster, inCluster.replace(CLUSTER_RIGHT, '+cluster'));
    await expect(users[0]?.cluster('FORGET', '0'.repeat(40))).rejects.toThrow(/Unknown node/);
    expect(await users[0]?.cluster('RESET', 'HARD')).toBe('OK');
  });
});

/** Types a printed line, as it is. Resolves to the name and the password that it sets. */
async function type(line: string, ...operators: Redis[]): Promise<{ username: string; password: string }> {
  const [command = '', ...words] = line.split(' ');
  for (const operator of operators) expect(await operator.call(command, ...words)).toBe('OK');
  const [, username = '', , password = ''] = words;
  return { username, password: password.slice(1) };
}

/** Two masters, since a node alone doesn't know its address. */
async function startCluster() {
  const args = ['--cluster-enabled', 'yes'];
  const members = [
    await OperatedRedis.start(cleanUpLater, { args }),
    await OperatedRedis.start(cleanUpLater, { args }),
  ];
  const operators = members.map(({ operator }) => operator);
  await operators[0]?.cluster('ADDSLOTSRANGE', 0, 8191);
  await operators[1]?.cluster('ADDSLOTSRANGE', 8192, 16_383);
  await operators[0]?.cluster('MEET', '127.0.0.1', members[1]?.port ?? 0);
  await waitFor('the cluster to serve', TIMEOUT_MS, async () => {
    const infos = await Promise.all(operators.map((operator) => operator.cluster('INFO')));
    return infos.every((info) => info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:2'));
  });
  return { nodes: members.map(({ port }) => ({ host: '127.0.0.1', port })), operators };
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Gives the user the printed rights, and no others. Resolves to ways to reach the cluster with them. */
async function withRights({ nodes, operators }: Cluster, line: string) {
  for (const operator of operators) {
    await operator.acl('DELUSER', 'snowflake');
    await operator.flushall();
  }
  const redisOptions = await type(line, ...operators);
  return {
    cluster: { nodes, options: { redisOptions } },
    users: nodes.map((node) => connect(node, redisOptions)),
  };
}

function connect(node: { host: string; port: number }, credentials: { username: string; password: string }) {
  const user = new Redis({ ...node, ...credentials });
  cleanUp(() => user.disconnect());
  return user;
}

/** Calls everything that a holder calls. */
async function holdLease(
  options: Partial<RedisLeaseStoreOptions>,
  callTimeoutMs = TIMEOUT_MS,
): Promise<void> {
  const store = redisLeaseStore({ namespace: NAMESPACE, ...options });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs });
  const first = await granted(store.lease(firstRequest('a')));
  const grant = await renewed(first, store.lease(request('b', claimOf(first))));
  await granted(store.lease(request('c', { retry: true })));
  expect((await store.inspect()).rows).toHaveLength(2);
  const { workerId, fencingToken, untilMs } = grant;
  expect(await store.release({ workerId, fencingToken, lastUsedMs: untilMs })).toEqual({
    outcome: 'released',
  });
}

async function expectRefused(user: Redis): Promise<void> {
  for (const [command, ...args] of DANGEROUS) {
    const call = user.call(command, ...args);
    await expect(call).rejects.toThrow(/NOPERM|can't run this command|can't access|No permissions/i);
  }
}
