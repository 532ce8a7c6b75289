import type { LeaseReply, LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { REDIS_MECHANISMS } from '../../../../libs/snowflake/src/stores/redis/redis-connection.js';
import type { RedisLeaseStore } from '../../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { OperatedRedis } from '../../../support/operated-redis.js';
import { waitFor } from '../../../support/wait.js';
import { answered, firstRequest, request } from '../../../integration/redis-store/requests.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const TIMEOUT_MS = 60_000;
const TEST_WITHIN_MS = 240_000;
/** As short as `minReplicas` allows, for a short wait after the first failover. */
const SHORT = { windowMs: 3000, maxSkewMs: 2000 };

const cleanUp = cleanUpAfterEach();

describe('a master that was replaced and returns [promise: unique]', () => {
  it(
    'makes newcomers wait although its replication ID is the old one',
    async () => {
      const { again } = await putBack();
      expect(again).toMatchObject({ outcome: 'wait', reason: 'history' });
    },
    TEST_WITHIN_MS,
  );

  it(
    'repeats grants of the other master if only the replication ID counts (control)',
    async () => {
      const { other, again } = await putBack(byHistoryAlone(REDIS_MECHANISMS.lease));
      expect(again).toMatchObject({ outcome: 'new', workerId: other.workerId });
      if (again.outcome === 'new') expect(again.fromMs).toBeLessThan(other.untilMs);
    },
    TEST_WITHIN_MS,
  );
});

/** An earlier version of the script: only the replication ID shows another history. */
function byHistoryAlone(leaseText: string): string {
  const altered = leaseText.replace(' or (joins and header[8] ~= joins)', '');
  expect(altered).not.toBe(leaseText);
  return altered;
}

/** On a busy machine, replicas that are connected can be late to say that they follow. */
function answer(store: RedisLeaseStore, asked: LeaseRequest): Promise<LeaseReply> {
  return waitFor('replicas that follow', TIMEOUT_MS, async () => {
    const reply = await answered(() => store.lease(asked));
    return reply.outcome !== 'alone' && reply;
  });
}

/** The first grant of a server that has just become master: newcomers wait for `grantsAfter`. */
function firstGrant(store: RedisLeaseStore, changes: Partial<LeaseRequest>) {
  return waitFor('`grantsAfter` to pass', TIMEOUT_MS, async () => {
    const reply = await answered(() => store.lease(request('b', { ...SHORT, ...changes, retry: true })));
    return reply.outcome === 'new' && reply;
  });
}

/**
 * One of the two replicas is made a master, grants, and crashes; the master that it replaced is back. It was never a
 * replica, so its replication ID is the old one.
 */
async function putBack(
  lease?: string,
): Promise<{ other: LeaseReply & { outcome: 'new' }; again: LeaseReply }> {
  const master = await OperatedRedis.start(cleanUp);
  const following = { masterPort: master.port };
  const [elected, third] = [
    await OperatedRedis.start(cleanUp, following),
    await OperatedRedis.start(cleanUp, following),
  ];
  await master.untilFollowed(2);
  const options = { namespace: 'restored', minReplicas: 1, callTimeoutMs: 10_000 };
  const store = master.store({ ...options, lease });
  expect(await answer(store, firstRequest('a', SHORT))).toMatchObject({ outcome: 'new' });
  await elected.promote();
  await third.follow(elected);
  await elected.untilFollowed();
  const storeOfElected = elected.store(options);
  expect(await answer(storeOfElected, request('b', SHORT))).toMatchObject({ outcome: 'wait' });
  const other = await firstGrant(storeOfElected, { windowMs: 600_000 });
  await third.follow(master);
  await master.untilFollowed();
  return { other, again: await answer(store, request('c', SHORT)) };
}
