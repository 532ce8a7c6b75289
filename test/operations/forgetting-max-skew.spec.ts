import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { LeaseStore } from 'nestjs-snowflake';
import { firstRequest, granted, request, WINDOW_MS } from '../integration/redis-store/requests.js';
import { KINDS, makeDatabase } from '../integration/sql-store/support/databases.js';
import { startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { cleanUpAfterEach } from '../support/clean-up.js';

const TIMEOUT_MS = 60_000;
const TOO_MUCH = { maxSkewMs: 1_000_000 };
const LESS = { maxSkewMs: 5000 };

const cleanUp = cleanUpAfterEach();

async function opened(store: LeaseStore): Promise<LeaseStore> {
  cleanUp(() => store.close());
  await store.open?.({ callTimeoutMs: 30_000 });
  return store;
}

/** How long a newcomer waits after a loss of history. */
async function waitAfterLoss(store: LeaseStore): Promise<number> {
  const reply = await waitFor('the store to serve', TIMEOUT_MS, () =>
    store.lease(request('newcomer', LESS)).catch(() => undefined),
  );
  if (reply.outcome !== 'wait') throw new Error(`Nobody waits: ${JSON.stringify(reply)}`);
  return reply.waitMs;
}

/** One process has set a value that is too long, then all set a shorter one. */
async function sayTooMuch(store: LeaseStore): Promise<void> {
  await granted(store.lease(firstRequest('a', TOO_MUCH)));
  await granted(store.lease(request('b', LESS)));
}

describe('a stored maxSkewMs that is too long', () => {
  it.each([
    ['makes newcomers wait for a maxSkewMs that is not forgotten', false, WINDOW_MS + TOO_MUCH.maxSkewMs],
    ['forgets a maxSkewMs after HDEL', true, WINDOW_MS + LESS.maxSkewMs],
  ])('%s', async (_, forgets, waitMs) => {
    const server = await startRedis({ persistence: 'aof' });
    cleanUp(() => server.stop());
    const store = await opened(redisLeaseStore({ url: server.url, namespace: 'shop' }));
    await sayTooMuch(store);
    if (forgets) {
      const redis = new Redis(server.url);
      expect(await redis.hdel('snowflake:{shop}', 'maxSkew')).toBe(1);
      redis.disconnect();
    }
    await server.restart();
    expect(await waitAfterLoss(store)).toBe(waitMs);
  });

  it.each(KINDS)('forgets a maxSkewMs after an UPDATE on %s, and not before', async (kind) => {
    const database = await makeDatabase(kind, 'max-skew');
    cleanUp(() => database.remove());
    for (const namespace of ['remembers', 'forgets']) {
      const store = await opened(
        sqlLeaseStore({ dataSource: database.options, namespace, createTable: true }),
      );
      await sayTooMuch(store);
      if (namespace === 'forgets') {
        const where = `WHERE namespace = '${namespace}'`;
        await database.admin.query(
          `UPDATE snowflake_lease_namespace SET longest_max_skew_ms = NULL ${where}`,
        );
      }
      await database.admin.query(`UPDATE snowflake_lease_namespace SET history_id = 'restored'`);
      const { maxSkewMs } = namespace === 'forgets' ? LESS : TOO_MUCH;
      expect(await waitAfterLoss(store)).toBe(WINDOW_MS + maxSkewMs);
    }
  });
});
