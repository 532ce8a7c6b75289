import { Redis } from 'ioredis';
import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { registryKey } from '../../libs/snowflake/src/stores/redis/registry-key.js';
import { claimOf, firstRequest, granted, request } from '../integration/redis-store/requests.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { cleanUpAfterEach } from '../support/clean-up.js';

const TIMEOUT_MS = 60_000;
const SHORTER = { windowMs: 300, maxSkewMs: 100 };
const LONGER = { windowMs: 60_000, maxSkewMs: 100 };
const KEY = registryKey('shop');

const cleanUp = cleanUpAfterEach();
let server: RedisServer;
let redis: Redis;
let store: LeaseStore;

beforeEach(async () => {
  server = await startRedis({ persistence: 'aof' });
  cleanUp(() => server.stop());
  redis = new Redis(server.url);
  cleanUp(() => redis.disconnect());
  store = redisLeaseStore({ url: server.url, namespace: 'shop' });
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs: 30_000 });
});

const served = <T>(call: () => Promise<T>): Promise<T> =>
  waitFor('the store to serve again', TIMEOUT_MS, () => call().catch(() => undefined));

describe('windowMs that is changed while Redis is healthy [promise: after-loss]', () => {
  it('applies a changed windowMs at the next renewal, and ends no window earlier than granted', async () => {
    // On a slow machine the first window may be over by then, and it begins anew.
    const { holder, untilMs } = await waitFor('a renewal within the window', TIMEOUT_MS, async () => {
      await redis.flushall();
      const first = await granted(store.lease(firstRequest('a', SHORTER)));
      const reply = await store.lease(request('b', { ...LONGER, ...claimOf(first) }));
      if (reply.outcome !== 'kept') return undefined;
      const { fencingToken, untilMs: end } = reply;
      return { holder: { ...first, fencingToken }, untilMs: end };
    });
    expect(untilMs).toBeGreaterThanOrEqual(holder.storeNowMs + LONGER.windowMs);
    const claim = { claim: { ...claimOf(holder).claim!, untilMs } };
    expect(await store.lease(request('c', { ...SHORTER, ...claim }))).toMatchObject({
      outcome: 'kept',
      untilMs,
    });
    // Another process, with the shorter one, gets another worker ID however long it waits.
    await waitFor('its own window to pass', TIMEOUT_MS, async () => {
      const { storeNowMs } = await store.inspect();
      return storeNowMs > holder.storeNowMs + 2 * SHORTER.windowMs;
    });
    const other = await granted(store.lease(request('d', { ...SHORTER, workerCount: 2 })));
    expect(other.workerId).not.toBe(holder.workerId);
  });

  it('makes a restarted Redis wait for the longest windowMs that was ever sent', async () => {
    await granted(store.lease(firstRequest('a', LONGER)));
    await granted(store.lease(request('b', SHORTER)));
    await server.restart();
    const reply = await served(() => store.lease(request('c', SHORTER)));
    expect(reply).toMatchObject({ outcome: 'wait', waitMs: LONGER.windowMs + LONGER.maxSkewMs });
  });
});

describe('a wiped Redis while processes with different windows run [promise: after-loss]', () => {
  it('makes a wiped Redis wait for the window of the first caller, which covers all if it is the longest', async () => {
    const holder = await granted(store.lease(firstRequest('a', LONGER)));
    await redis.flushall();
    const reply = await store.lease(request('b', LONGER));
    if (reply.outcome !== 'wait') throw new Error(`Nobody waits: ${JSON.stringify(reply)}`);
    expect(reply.storeNowMs + reply.waitMs).toBeGreaterThanOrEqual(holder.untilMs);
  });

  it('grants timestamps that a holder has if the first caller has a shorter window (control)', async () => {
    const holder = await granted(store.lease(firstRequest('a', LONGER)));
    await redis.flushall();
    const newcomer = await waitFor('a grant', TIMEOUT_MS, async () => {
      const reply = await store.lease(request('b', SHORTER));
      return reply.outcome === 'new' && reply;
    });
    expect(newcomer.workerId).toBe(holder.workerId);
    expect(newcomer.fromMs).toBeLessThan(holder.untilMs);
    expect(await redis.hget(KEY, 'window')).toBe(String(SHORTER.windowMs));
  });
});
