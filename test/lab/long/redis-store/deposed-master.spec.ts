import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseReply } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { REDIS_MECHANISMS } from '../../../../libs/snowflake/src/stores/redis/redis-connection.js';
import { OperatedRedis } from '../../../support/operated-redis.js';
import { waitFor } from '../../../support/wait.js';
import { LateLink } from '../../../integration/redis-store/late-link.js';
import {
  answered,
  claimOf,
  firstRequest,
  granted,
  MAX_SKEW_MS,
  request,
} from '../../../integration/redis-store/requests.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const TIMEOUT_MS = 30_000;
const TEST_WITHIN_MS = 180_000;
/** How long a call lies unread at a paused master. */
const UNREAD_FOR_MS = 1500;

const cleanUp = cleanUpAfterEach();

/** A master with a holder, and a replica behind a link. */
async function startPair() {
  const master = await OperatedRedis.start(cleanUp);
  const link = await LateLink.start(master.port);
  cleanUp(() => link.close());
  const replica = await OperatedRedis.start(cleanUp, { masterPort: link.port });
  await master.untilFollowed();
  const namespace = 'deposed';
  /** A store as it is in production. */
  const store = master.store({ namespace, minReplicas: 1, callTimeoutMs: 5000 });
  /** A store whose script counts replicas by their lag. It calls once, and needs a reply. */
  const control = master.store({ namespace, lease: byLag(REDIS_MECHANISMS.lease) });
  const holder = await waitFor('a replica to acknowledge', TIMEOUT_MS, async () => {
    const reply = await answered(() => store.lease(firstRequest('a', { retry: true })));
    return reply.outcome === 'new' && reply;
  });
  expect(await control.lease(request('b'))).toMatchObject({ outcome: 'new' });
  return { master, link, replica, holder, store, control };
}
type Pair = Awaited<ReturnType<typeof startPair>>;

/** Heals the link after the promotion of the replica, so that the old master reads acknowledgements from before it. */
async function healLate({ master, link, replica }: Pair): Promise<void> {
  const farBehind = MAX_SKEW_MS / 1000 + 1;
  const lag = async (): Promise<number> =>
    Number(/lag=(\d+)/.exec(await master.replication())?.[1] ?? Infinity);
  link.cut();
  await waitFor('the master to miss its replica', TIMEOUT_MS, async () => (await lag()) >= farBehind);
  await replica.promote();
  link.heal();
  await waitFor('old acknowledgements to be read', TIMEOUT_MS, async () => (await lag()) < farBehind);
}

/** Promotes the replica while the old master is paused. What arrives meanwhile stays unread in its socket. */
async function resumeDeposed(
  { master, link, replica }: Pair,
  call: () => Promise<LeaseReply>,
): Promise<LeaseReply> {
  master.server.pause();
  const before = link.received;
  await waitFor('an unread acknowledgement', TIMEOUT_MS, () => link.received > before);
  await replica.promote();
  const reply = call();
  await delay(UNREAD_FOR_MS);
  master.server.resume();
  return reply;
}

describe('a deposed master that reads old acknowledgements [promise: unique]', () => {
  it(
    'grants and renews nothing after a pause',
    async () => {
      const pair = await startPair();
      const { store, holder } = pair;
      const renewal = await resumeDeposed(pair, () =>
        answered(() => store.lease(request('c', claimOf(holder)))),
      );
      expect(renewal).toMatchObject({ outcome: 'alone', replicas: 0 });
      const newcomer = await answered(() => store.lease(request('c')));
      expect(newcomer).toMatchObject({ outcome: 'alone', replicas: 0 });
    },
    TEST_WITHIN_MS,
  );

  it(
    'grants and renews nothing after its link was healed late',
    async () => {
      const pair = await startPair();
      const { store, holder } = pair;
      await healLate(pair);
      const renewal = await answered(() => store.lease(request('c', claimOf(holder))));
      expect(renewal).toMatchObject({ outcome: 'alone', replicas: 0 });
      const newcomer = await answered(() => store.lease(request('d')));
      expect(newcomer).toMatchObject({ outcome: 'alone', replicas: 0 });
    },
    TEST_WITHIN_MS,
  );

  it(
    'grants after its link was healed late if only the lag counts (control)',
    async () => {
      const pair = await startPair();
      await healLate(pair);
      const { workerId } = await granted(pair.control.lease(request('d')));
      expect(workerId).toBeGreaterThan(1);
    },
    TEST_WITHIN_MS,
  );

  it(
    'renews after a pause if only the lag counts (control)',
    async () => {
      const pair = await startPair();
      const reply = await resumeDeposed(pair, () => pair.control.lease(request('c', claimOf(pair.holder))));
      expect(reply).toMatchObject({ outcome: 'kept' });
    },
    TEST_WITHIN_MS,
  );
});

/** An earlier version of the script: counts replicas whose acknowledgement was read within maxSkew, whenever it was sent. */
function byLag(leaseText: string): string {
  const counted = `if min_replicas > 0 then[\\s\\S]*?if following < min_replicas`;
  const byLagOnly = `do
  local following = 0
  for lag in string.gmatch(info, 'slave%d+:[^\\r\\n]*state=online[^\\r\\n]*lag=(%d+)') do
    if tonumber(lag) * 1000 <= max_skew then following = following + 1 end
  end
  if following < 1`;
  const altered = leaseText.replace(new RegExp(counted), () => byLagOnly);
  expect(altered).not.toBe(leaseText);
  return altered;
}
