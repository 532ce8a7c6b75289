import { Redis } from 'ioredis';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { LeaseReply, LeaseStore } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import {
  answered,
  claimOf,
  firstRequest,
  granted,
  type Granted,
  request,
} from '../../../integration/redis-store/requests.js';

const TIMEOUT_MS = 30_000;
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

async function openStore(
  master: RedisServer,
  minReplicas: number,
  callTimeoutMs = 3_000,
): Promise<LeaseStore> {
  const store = redisLeaseStore({ url: master.url, namespace: 'replicas', minReplicas });
  closing.push(() => store.close());
  await store.open?.({ callTimeoutMs });
  return store;
}

async function untilFollowed(master: RedisServer): Promise<void> {
  const admin = new Redis(master.url);
  await waitFor('the replica to follow', TIMEOUT_MS, async () =>
    /state=online/.test(await admin.info('replication')),
  );
  await admin.quit();
}

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
      const replica = await start('--replicaof', '127.0.0.1', String(master.port));
      await untilFollowed(master);
      const store = await openStore(master, 1);
      const holder = await firstGranted(store);
      await replica.kill();
      const alone = await until('alone', () => store.lease(request('b', claimOf(holder))));
      expect(alone).toMatchObject({ replicas: 0 });
      const before = await store.inspect();
      expect(await answered(() => store.lease(request('b')))).toMatchObject({ outcome: 'alone' });
      expect((await store.inspect()).rows).toEqual(before.rows);
      await replica.restart();
      await until('kept', () => store.lease(request('b', claimOf(holder))));
    },
    TEST_WITHIN_MS,
  );

  it(
    'renews by the acknowledgements that arrive within each call',
    async () => {
      const master = await start();
      await start('--replicaof', '127.0.0.1', String(master.port));
      await untilFollowed(master);
      const store = await openStore(master, 1, 10_000);
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
      const replica = await start('--replicaof', '127.0.0.1', String(master.port));
      await untilFollowed(master);
      const store = await openStore(master, 1, 10_000);
      const holder = await firstGranted(store);
      const admin = new Redis(master.url);
      closing.push(async () => admin.disconnect());
      const proof = (): Promise<string | null> => admin.hget('snowflake:{replicas}', 'proof');
      const before = await proof();
      replica.pause();
      const renewal = store.lease(request('b', claimOf(holder)));
      await waitFor('the call to make its proof', TIMEOUT_MS, async () => (await proof()) !== before);
      const { workerId, fencingToken, fromMs } = holder;
      expect(await store.release({ workerId, fencingToken, lastUsedMs: fromMs })).toEqual({
        outcome: 'released',
      });
      replica.resume();
      expect(await renewal).toMatchObject({ outcome: 'alone', replicas: 0 });
      expect((await store.inspect()).rows).toMatchObject([{ workerId, fencingToken: '' }]);
    },
    TEST_WITHIN_MS,
  );

  it(
    'refuses at the start calls that are too short for an acknowledgement',
    async () => {
      const master = await start();
      const opening = openStore(master, 1, 1399);
      await expect(opening).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'lease.callTimeoutMs',
        value: 1399,
        message: expect.stringContaining('Use 1400 or more'),
      });
      await openStore(master, 1, 1400);
      await openStore(master, 0, 1);
    },
    TEST_WITHIN_MS,
  );

  it(
    'refuses a maxSkew that is shorter than the wait for an acknowledgement',
    async () => {
      const store = await openStore(await start(), 1);
      const call = store.lease(request('a', { maxSkewMs: 1999 }));
      await expect(call).rejects.toMatchObject({ option: 'lease.maxSkewMs', value: 1999 });
    },
    TEST_WITHIN_MS,
  );

  it(
    'grants nothing if minReplicas exceeds the number of replicas',
    async () => {
      const master = await start();
      const store = await openStore(master, 1);
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
      const store = await openStore(master, 0, 30_000);
      const holder = await firstGranted(store);
      await start('--replicaof', '127.0.0.1', String(master.port));
      await untilFollowed(master);
      expect(await store.lease(request('b'))).toMatchObject({ outcome: 'wait', reason: 'history' });
      expect(await store.lease(request('c', claimOf(holder)))).toMatchObject({ outcome: 'kept' });
    },
    TEST_WITHIN_MS,
  );
});
