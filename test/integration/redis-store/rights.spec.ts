import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { CLUSTER_RIGHT, leastRights } from '../../../libs/snowflake/src/stores/redis/registry-key.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { waitFor } from '../../support/wait.js';
import { claimOf, firstRequest, granted, request } from './requests.js';

const WITHIN_MS = 30_000;
const PATIENT_MS = 20_000;
/** A client of a cluster that is refused tries again until the end of its call. */
const HASTY_MS = 6000;
const NAMESPACE = 'shop';

/** The lines that docs/stores/redis.md tells an operator to type. */
const PRINTED = readFileSync(new URL('../../../docs/stores/redis.md', import.meta.url), 'utf8').match(
  /^ACL SETUSER .*$/gm,
);
const [single = '', inCluster = '', ...others] = PRINTED ?? [];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(...args: string[]): Promise<{ server: RedisServer; operator: Redis }> {
  const server = await startRedis({ args });
  closing.push(() => server.stop());
  const operator = new Redis(server.url);
  closing.push(() => operator.disconnect());
  return { server, operator };
}

/** Types a printed line, as it is. Resolves to the name and the password that it sets. */
async function type(line: string, ...operators: Redis[]): Promise<{ username: string; password: string }> {
  const [command = '', ...words] = line.split(' ');
  for (const operator of operators) expect(await operator.call(command, ...words)).toBe('OK');
  const [, username = '', , password = ''] = words;
  return { username, password: password.slice(1) };
}

/** Two masters, since a node alone doesn't know its address. Resolves to ways to reach both with the printed rights. */
async function startCluster(line: string) {
  const members = [await start('--cluster-enabled', 'yes'), await start('--cluster-enabled', 'yes')];
  const operators = members.map(({ operator }) => operator);
  await operators[0]?.cluster('ADDSLOTSRANGE', 0, 8191);
  await operators[1]?.cluster('ADDSLOTSRANGE', 8192, 16_383);
  await operators[0]?.cluster('MEET', '127.0.0.1', members[1]?.server.port ?? 0);
  await waitFor('the cluster to serve', WITHIN_MS, async () => {
    const infos = await Promise.all(operators.map((operator) => operator.cluster('INFO')));
    return infos.every((info) => info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:2'));
  });
  const redisOptions = await type(line, ...operators);
  const nodes = members.map(({ server }) => ({ host: '127.0.0.1', port: server.port }));
  return {
    cluster: { nodes, options: { redisOptions } },
    users: nodes.map((node) => connect(node, redisOptions)),
  };
}

function connect(node: { host: string; port: number }, credentials: { username: string; password: string }) {
  const user = new Redis({ ...node, ...credentials });
  closing.push(() => user.disconnect());
  return user;
}

/** Calls everything that a holder calls. */
async function holdLease(
  options: Partial<RedisLeaseStoreOptions>,
  callTimeoutMs = PATIENT_MS,
): Promise<void> {
  const store = redisLeaseStore({ namespace: NAMESPACE, ...options });
  closing.push(() => store.close());
  await store.open?.({ callTimeoutMs });
  const grant = await granted(store.lease(firstRequest('a')));
  expect(await store.lease(request('b', claimOf(grant)))).toMatchObject({ outcome: 'kept' });
  await granted(store.lease(request('c', { retry: true })));
  expect((await store.inspect()).rows).toHaveLength(2);
  const { workerId, fencingToken, untilMs } = grant;
  expect(await store.release({ workerId, fencingToken, lastUsedMs: untilMs })).toEqual({
    outcome: 'released',
  });
}

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

async function expectRefused(user: Redis): Promise<void> {
  for (const [command, ...args] of DANGEROUS) {
    const call = user.call(command, ...args);
    await expect(call).rejects.toThrow(/NOPERM|can't run this command|can't access|No permissions/i);
  }
}

describe('the rights that docs/stores/redis.md prints', () => {
  it('are those that the errors of the store name', () => {
    expect(single).toBe(`ACL SETUSER snowflake on >password ${leastRights(NAMESPACE)}`);
    expect(inCluster).toBe(`${single} ${CLUSTER_RIGHT}`);
    expect(others).toEqual([]);
  });

  it('are enough for a single server, and allow nothing else', async () => {
    const { server, operator } = await start();
    const node = { host: '127.0.0.1', port: server.port };
    const credentials = await type(single, operator);
    await holdLease({ options: { ...node, ...credentials } });
    await expectRefused(connect(node, credentials));
  });

  it('are enough for a Redis Cluster, and allow nothing else', async () => {
    const { cluster, users } = await startCluster(inCluster);
    await holdLease({ cluster });
    for (const user of users) await expectRefused(user);
  });

  it(`without ${CLUSTER_RIGHT} are refused in a Redis Cluster, and the error names it`, async () => {
    const { cluster } = await startCluster(single);
    const message = expect.stringContaining(CLUSTER_RIGHT);
    const refused = { code: 'SNOWFLAKE_STORE_REJECTED', message };
    await expect(holdLease({ cluster }, HASTY_MS)).rejects.toMatchObject(refused);
  });

  it('control: with +cluster the user could forget and reset nodes', async () => {
    const { users } = await startCluster(inCluster.replace(CLUSTER_RIGHT, '+cluster'));
    await expect(users[0]?.cluster('FORGET', '0'.repeat(40))).rejects.toThrow(/Unknown node/);
    expect(await users[0]?.cluster('RESET', 'HARD')).toBe('OK');
  });
});
