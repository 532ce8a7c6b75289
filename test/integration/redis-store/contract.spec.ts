import { setTimeout as delay } from 'node:timers/promises';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { leaseStoreContract, type StoreUnderTest } from 'nestjs-snowflake/testing';
import { startRedis, type RedisServer } from '../../support/servers/index.js';

let server: RedisServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

async function redisUnderTest(): Promise<StoreUnderTest> {
  namespaces += 1;
  const store = redisLeaseStore({ url: server.url, namespace: `contract-${namespaces}` });
  await store.open?.({ callTimeoutMs: 10_000 });
  return { store, letPass: (ms) => delay(ms), dispose: () => store.close() };
}

describe('the lease store contract, on Redis with its own clock', () => {
  leaseStoreContract(redisUnderTest, { describe, it });
});
