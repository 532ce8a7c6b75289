import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { LeaseReply } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { productionScripts } from '../../../../libs/snowflake/src/stores/redis/redis-connection.js';
import { RedisLeaseStore } from '../../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { LateLink } from '../../../integration/redis-store/late-link.js';
import {
  answered,
  claimOf,
  firstRequest,
  granted,
  type Granted,
  MAX_SKEW_MS,
  request,
} from '../../../integration/redis-store/requests.js';

const TIMEOUT_MS = 30_000;
const TEST_WITHIN_MS = 180_000;
const CALL_TIMEOUT_MS = 5000;
/** A control calls once, and needs a reply. */
const CONTROL_TIMEOUT_MS = 30_000;
/** How long a call lies unread at a paused master. */
const UNREAD_FOR_MS = 1500;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(...args: string[]): Promise<{ server: RedisServer; operator: Redis }> {
  const server = await startRedis({ args: ['--repl-diskless-sync-delay', '0', ...args] });
  closing.push(() => server.stop());
  const operator = new Redis(server.url);
  closing.push(() => operator.disconnect());
  return { server, operator };
}

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

interface Deposed {
  readonly master: RedisServer;
  readonly masterOperator: Redis;
  readonly link: LateLink;
  readonly holder: Granted;
  /** A store at the old master as it is in production. */
  readonly store: RedisLeaseStore;
  /** A store whose script counts replicas by their lag. It calls once. */
  readonly control: RedisLeaseStore;
  /** Makes the replica a master. */
  promote(): Promise<void>;
  lag(): Promise<number>;
}

function openStore(url: string, minReplicas: number, lease = productionScripts.lease): RedisLeaseStore {
  const scripts = { ...productionScripts, lease };
  const store = new RedisLeaseStore({ url, namespace: 'deposed', minReplicas }, scripts);
  closing.push(() => store.close());
  store.open({ callTimeoutMs: minReplicas > 0 ? CALL_TIMEOUT_MS : CONTROL_TIMEOUT_MS });
  return store;
}

/** A master with a holder, and a replica behind a link. */
async function startPair(): Promise<Deposed> {
  const { server: master, operator: masterOperator } = await start();
  const link = await LateLink.start(master.port);
  closing.push(() => link.close());
  const { operator } = await start('--replicaof', '127.0.0.1', String(link.port));
  const info = (): Promise<string> => masterOperator.info('replication');
  let seen = '';
  await waitFor(
    () => `the replica to follow:\n${seen}`,
    TIMEOUT_MS,
    async () => /state=online/.test((seen = await info())),
  );
  const store = openStore(master.url, 1);
  const control = openStore(master.url, 0, byLag(productionScripts.lease));
  const holder = await waitFor('a replica to acknowledge', TIMEOUT_MS, async () => {
    const reply = await answered(() => store.lease(firstRequest('a', { retry: true })));
    return reply.outcome === 'new' && reply;
  });
  expect(await control.lease(request('b'))).toMatchObject({ outcome: 'new' });
  return {
    master,
    masterOperator,
    link,
    holder,
    store,
    control,
    promote: async () => void (await operator.replicaof('NO', 'ONE')),
    lag: async () => Number(/lag=(\d+)/.exec(await info())?.[1] ?? Infinity),
  };
}

/** Heals the link after the promotion of the replica, so that the old master reads acknowledgements from before it. */
async function healLate({ link, promote, lag }: Deposed): Promise<void> {
  link.cut();
  const farBehind = MAX_SKEW_MS / 1000 + 1;
  await waitFor('the master to miss its replica', TIMEOUT_MS, async () => (await lag()) >= farBehind);
  await promote();
  link.heal();
  await waitFor('old acknowledgements to be read', TIMEOUT_MS, async () => (await lag()) < farBehind);
}

/** Promotes the replica while the old master is paused. What arrives meanwhile stays unread in its socket. */
async function resumeDeposed(
  { master, link, promote }: Deposed,
  call: () => Promise<LeaseReply>,
): Promise<LeaseReply> {
  master.pause();
  const before = link.received;
  await waitFor('an unread acknowledgement', TIMEOUT_MS, () => link.received > before);
  await promote();
  const reply = call();
  await delay(UNREAD_FOR_MS);
  master.resume();
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
