import { setTimeout as delay } from 'node:timers/promises';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { leaseStoreContract, type StoreUnderTest } from 'nestjs-snowflake/store';
import { startCluster } from '../../lab/faults/support/cluster.js';
import { Stage } from '../../lab/faults/support/stage.js';
import { concurrentCases } from '../../support/concurrent-cases.js';
import { startSentinel } from '../../support/servers/index.js';

type Connection = Omit<RedisLeaseStoreOptions, 'namespace'>;

const PLACES = {
  'Redis with its own clock': async () => ({ url: (await stage.redis()).url }),
  'the master that a Sentinel names': async () => {
    const sentinel = await startSentinel(await stage.redis());
    stage.defer(() => sentinel.stop());
    return { sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: sentinel.masterName };
  },
  'a Redis Cluster of three masters': async () => ({
    cluster: { nodes: (await startCluster(stage)).nodes },
  }),
} satisfies Record<string, () => Promise<Connection>>;

type Place = keyof typeof PLACES;

const cases = concurrentCases(8);
const connections = new Map<Place, Connection>();
let stage: Stage;
let namespaces = 0;

beforeAll(async () => {
  stage = new Stage();
  await Promise.all(
    Object.entries(PLACES).map(async ([place, start]) => connections.set(place as Place, await start())),
  );
});
afterAll(() => stage.close());

/** Every namespace is a fresh registry, and in a Cluster lies on whichever node has its slot. */
async function redisUnderTest(place: Place): Promise<StoreUnderTest> {
  namespaces += 1;
  const store = redisLeaseStore({ ...connections.get(place), namespace: `contract-${namespaces}` });
  await store.open?.({ callTimeoutMs: 30_000 });
  return { store, letPass: (ms) => delay(ms), dispose: () => store.close() };
}

describe.each(Object.keys(PLACES) as Place[])('the lease store contract, on %s', (place) => {
  leaseStoreContract(() => redisUnderTest(place), cases);
});
