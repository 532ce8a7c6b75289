import { setTimeout as delay } from 'node:timers/promises';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { leaseStoreContract, type StoreUnderTest } from 'nestjs-snowflake/store-testing';
import { startCluster } from '../../lab/faults/support/cluster.js';
import { Stage } from '../../lab/faults/support/stage.js';
import { startSentinel } from '../../support/servers/index.js';

type Connection = Omit<RedisLeaseStoreOptions, 'namespace'>;

const STARTED_WITHIN_MS = 120_000;

let stage: Stage;
let connection: Connection;
let namespaces = 0;

/** Starts servers before all cases of a `describe`, and ends them afterwards. */
function onServers(start: () => Promise<Connection>): void {
  beforeAll(async () => {
    stage = new Stage();
    connection = await start();
  }, STARTED_WITHIN_MS);
  afterAll(() => stage.close());
}

/** Every namespace is a fresh registry, and in a Cluster lies on whichever node has its slot. */
async function redisUnderTest(): Promise<StoreUnderTest> {
  namespaces += 1;
  const store = redisLeaseStore({ ...connection, namespace: `contract-${namespaces}` });
  await store.open?.({ callTimeoutMs: 30_000 });
  return { store, letPass: (ms) => delay(ms), dispose: () => store.close() };
}

describe('the lease store contract, on Redis with its own clock', () => {
  onServers(async () => ({ url: (await stage.redis()).url }));
  leaseStoreContract(redisUnderTest, { describe, it });
});

describe('the lease store contract, on the master that a Sentinel names', () => {
  onServers(async () => {
    const sentinel = await startSentinel(await stage.redis());
    stage.defer(() => sentinel.stop());
    return { sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: sentinel.masterName };
  });
  leaseStoreContract(redisUnderTest, { describe, it });
});

describe('the lease store contract, on a Redis Cluster of three masters', () => {
  onServers(async () => ({ cluster: { nodes: (await startCluster(stage)).nodes } }));
  leaseStoreContract(redisUnderTest, { describe, it });
});
