import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startSentinel } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { claimOf, firstRequest, granted, request } from '../../../integration/redis-store/requests.js';
import { OperatedRedis } from '../../../support/operated-redis.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const TIMEOUT_MS = 40_000;
const TEST_WITHIN_MS = 180_000;

const cleanUp = cleanUpAfterEach();

describe('a master behind Sentinel that hangs', () => {
  it(
    'finds the new master in a reconnect, which asks the Sentinels',
    async () => {
      const master = await OperatedRedis.start(cleanUp);
      const replica = await OperatedRedis.start(cleanUp, { masterPort: master.port });
      // A master that a busy machine keeps from answering for a moment is not to be replaced.
      const watcher = await startSentinel(master.server, { downAfterMs: 6000 });
      cleanUp(() => watcher.stop());
      const sentinel = new Redis(watcher.port, '127.0.0.1');
      cleanUp(async () => sentinel.disconnect());
      await waitFor('the Sentinel to know the replica', TIMEOUT_MS, async () =>
        String(await sentinel.call('SENTINEL', 'REPLICAS', 'main')).includes(String(replica.port)),
      );
      const sentinels = [{ host: '127.0.0.1', port: watcher.port }];
      const store = redisLeaseStore({ sentinels, name: 'main', namespace: 'sentinel' });
      cleanUp(() => store.close());
      await store.open?.({ callTimeoutMs: 500 });
      const holder = await waitFor('the first lease', TIMEOUT_MS, () =>
        granted(store.lease(firstRequest('a', { retry: true, windowMs: 600_000 }))).catch(() => undefined),
      );
      // WAIT would not do: it waits for what its own connection has written, which is nothing.
      await waitFor(
        'the replica to hold the lease',
        TIMEOUT_MS,
        async () => (await replica.operator.hexists('snowflake:{sentinel}', String(holder.workerId))) === 1,
      );

      master.server.pause();
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
      expect(await replica.operator.hget('snowflake:{sentinel}', String(holder.workerId))).toContain(
        holder.fencingToken,
      );
    },
    TEST_WITHIN_MS,
  );
});
