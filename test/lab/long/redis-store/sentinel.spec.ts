import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis, startSentinel, type RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { claimOf, firstRequest, granted, request } from '../../../integration/redis-store/requests.js';

const TIMEOUT_MS = 40_000;
const TEST_WITHIN_MS = 180_000;

const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(...args: string[]): Promise<RedisServer> {
  const server = await startRedis({ args: ['--repl-diskless-sync-delay', '0', ...args] });
  closing.push(() => server.stop());
  return server;
}

describe('a master behind Sentinel that hangs', () => {
  it(
    'finds the new master in a reconnect, which asks the Sentinels',
    async () => {
      const master = await start();
      const replica = await start('--replicaof', '127.0.0.1', String(master.port));
      // A master that a busy machine keeps from answering for a moment is not to be replaced.
      const watcher = await startSentinel(master, { downAfterMs: 6000 });
      closing.push(() => watcher.stop());
      const sentinel = new Redis(watcher.port, '127.0.0.1');
      closing.push(async () => sentinel.disconnect());
      await waitFor('the Sentinel to know the replica', TIMEOUT_MS, async () =>
        String(await sentinel.call('SENTINEL', 'REPLICAS', 'main')).includes(String(replica.port)),
      );
      const sentinels = [{ host: '127.0.0.1', port: watcher.port }];
      const store = redisLeaseStore({ sentinels, name: 'main', namespace: 'sentinel' });
      closing.push(() => store.close());
      await store.open?.({ callTimeoutMs: 500 });
      const holder = await waitFor('the first lease', TIMEOUT_MS, () =>
        granted(store.lease(firstRequest('a', { retry: true, windowMs: 600_000 }))).catch(() => undefined),
      );
      const old = new Redis(master.url);
      expect(await old.wait(1, TIMEOUT_MS)).toBe(1);
      old.disconnect();

      master.pause();
      const newcomer = await waitFor('the new master to answer', TIMEOUT_MS, async () => {
        const reply = await store.lease(request('b')).catch(() => undefined);
        if (!reply) store.reconnect?.();
        return reply;
      });
      expect(newcomer).toMatchObject({ outcome: 'wait', reason: 'history' });
      const renewal = await waitFor('the new master to answer the holder', TIMEOUT_MS, () =>
        store.lease(request('c', claimOf(holder))).catch(() => undefined),
      );
      expect(renewal).toMatchObject({ outcome: 'kept' });
      const promoted = new Redis(replica.url);
      expect(await promoted.hget('snowflake:{sentinel}', String(holder.workerId))).toContain(
        holder.fencingToken,
      );
      await promoted.quit();
    },
    TEST_WITHIN_MS,
  );
});
