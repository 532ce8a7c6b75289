import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { LeaseStore } from '../../../libs/snowflake/src/lease/lease-store.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { firstRequest, granted } from './requests.js';

const WORKER_IDS = 1024;
const CONNECTIONS = 8;

let server: RedisServer;
let stores: LeaseStore[];

beforeAll(async () => {
  server = await startRedis();
  stores = Array.from({ length: CONNECTIONS }, () =>
    redisLeaseStore({ url: server.url, namespace: 'crowd' }),
  );
  for (const store of stores) await store.open?.({ callTimeoutMs: 30_000 });
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.stop();
});

describe('1,024 holders at once [promise: unique]', () => {
  it('gives 1,024 holders different worker IDs, and answers the next one when the first window ends', async () => {
    const acquires = stores.flatMap((store, connection) =>
      Array.from({ length: WORKER_IDS / CONNECTIONS }, (_, holder) =>
        granted(store.lease(firstRequest(`${connection}-${holder}`))),
      ),
    );
    const grants = await Promise.all(acquires);
    expect(new Set(grants.map(({ workerId }) => workerId)).size).toBe(WORKER_IDS);
    const [store] = stores;
    const full = await store?.lease(firstRequest('one too many'));
    const firstEnd = Math.min(...grants.map(({ untilMs }) => untilMs));
    expect(full).toEqual({
      outcome: 'full',
      storeNowMs: expect.any(Number),
      nextFreeInMs: firstEnd - (full?.outcome === 'full' ? full.storeNowMs : 0),
    });
  });
});
