import type { LeaseReply, LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { OperatedRedis } from '../../../support/operated-redis.js';
import { waitFor } from '../../../support/wait.js';
import {
  answered,
  claimOf,
  firstRequest,
  granted,
  type Granted,
  request,
} from '../../../integration/redis-store/requests.js';
import { cleanUpAfterEach } from '../../../support/clean-up.js';

const TIMEOUT_MS = 30_000;
const TEST_WITHIN_MS = 180_000;

const cleanUp = cleanUpAfterEach();

const start = (masterPort?: number): Promise<OperatedRedis> => OperatedRedis.start(cleanUp, { masterPort });
const options = { namespace: 'replicas', minReplicas: 1, callTimeoutMs: 10_000 };

const until = (outcome: LeaseReply['outcome'], call: () => Promise<LeaseReply>): Promise<LeaseReply> =>
  waitFor(`the outcome ${outcome}`, TIMEOUT_MS, async () => {
    const reply = await answered(call);
    return reply.outcome === outcome && reply;
  });

/** The first lease, as soon as a replica acknowledges in time. */
async function firstGranted(store: LeaseStore): Promise<Granted> {
  return granted(until('new', () => store.lease(firstRequest('a', { retry: true }))));
}

describe('minReplicas', () => {
  it(
    'keeps a master that has lost its replica from granting and renewing',
    async () => {
      const master = await start();
      const replica = await start(master.port);
      await master.untilFollowed();
      const store = master.store({ ...options, callTimeoutMs: 3000 });
      const holder = await firstGranted(store);
      await replica.server.kill();
      const alone = await until('alone', () => store.lease(request('b', claimOf(holder))));
      expect(alone).toMatchObject({ replicas: 0 });
      const before = await store.inspect();
      expect(await answered(() => store.lease(request('b')))).toMatchObject({ outcome: 'alone' });
      expect((await store.inspect()).rows).toEqual(before.rows);
      await replica.server.restart();
      await until('kept', () => store.lease(request('b', claimOf(holder))));
    },
    TEST_WITHIN_MS,
  );

  it(
    'renews by the acknowledgements that arrive within each call',
    async () => {
      const master = await start();
      await start(master.port);
      await master.untilFollowed();
      const store = master.store(options);
      const holder = await firstGranted(store);
      for (let count = 0; count < 3; count += 1) {
        expect(await store.lease(request('b', claimOf(holder)))).toMatchObject({ outcome: 'kept' });
      }
    },
    TEST_WITHIN_MS,
  );

  it(
    'grants nothing to a holder that released its lease while it waited',
    async () => {
      const master = await start();
      const replica = await start(master.port);
      await master.untilFollowed();
      const store = master.store(options);
      const holder = await firstGranted(store);
      const proof = (): Promise<string | null> => master.operator.hget('snowflake:{replicas}', 'proof');
      const before = await proof();
      replica.server.pause();
      const renewal = store.lease(request('b', claimOf(holder)));
      await waitFor('the call to make its proof', TIMEOUT_MS, async () => (await proof()) !== before);
      const { workerId, fencingToken, fromMs } = holder;
      expect(await store.release({ workerId, fencingToken, lastUsedMs: fromMs })).toEqual({
        outcome: 'released',
      });
      replica.server.resume();
      expect(await renewal).toMatchObject({ outcome: 'alone', replicas: 0 });
      expect((await store.inspect()).rows).toMatchObject([{ workerId, fencingToken: '' }]);
    },
    TEST_WITHIN_MS,
  );

  it(
    'refuses at the start calls that are too short for an acknowledgement',
    async () => {
      const master = await start();
      expect(() => master.store({ ...options, callTimeoutMs: 1399 })).toThrow(
        expect.objectContaining({
          code: 'SNOWFLAKE_INVALID_OPTION',
          option: 'lease.callTimeoutMs',
          value: 1399,
          message: expect.stringContaining('Use 1400 or more'),
        }),
      );
      master.store({ ...options, callTimeoutMs: 1400 });
      master.store({ ...options, minReplicas: 0, callTimeoutMs: 1 });
    },
    TEST_WITHIN_MS,
  );

  it(
    'refuses a maxSkew that is shorter than the wait for an acknowledgement',
    async () => {
      const store = (await start()).store(options);
      const call = store.lease(request('a', { maxSkewMs: 1999 }));
      await expect(call).rejects.toMatchObject({ option: 'lease.maxSkewMs', value: 1999 });
    },
    TEST_WITHIN_MS,
  );

  it(
    'grants nothing if minReplicas exceeds the number of replicas',
    async () => {
      const master = await start();
      const store = master.store({ ...options, callTimeoutMs: 3000 });
      const reply = await answered(() => store.lease(firstRequest('a')));
      expect(reply).toMatchObject({ outcome: 'alone', replicas: 0 });
      expect(await store.inspect()).toMatchObject({ rows: [] });
    },
    TEST_WITHIN_MS,
  );
});

describe('the first replica that a master gets', () => {
  it(
    'the first replica changes the replication ID, so newcomers wait and holders continue',
    async () => {
      const master = await start();
      const store = master.store({ namespace: 'replicas' });
      const holder = await firstGranted(store);
      await start(master.port);
      await master.untilFollowed();
      expect(await store.lease(request('b'))).toMatchObject({ outcome: 'wait', reason: 'history' });
      expect(await store.lease(request('c', claimOf(holder)))).toMatchObject({ outcome: 'kept' });
    },
    TEST_WITHIN_MS,
  );
});
