import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { leaseScript } from '../../../libs/snowflake/src/stores/redis/lease-script.js';
import { REDIS_MECHANISMS } from '../../../libs/snowflake/src/stores/redis/redis-connection.js';
import { OperatedRedis } from '../../support/operated-redis.js';
import { waitFor } from '../../support/wait.js';
import {
  byReplicationIdAlone,
  byRunIdAlone,
  constantReplicationId,
  withoutAskingForRole,
} from './altered-histories.js';
import { LateLink } from './late-link.js';
import { firstRequest, granted, type Granted, request } from './requests.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';

const TIMEOUT_MS = 20_000;
const NAMESPACE = 'history';
const KEY = `snowflake:{${NAMESPACE}}`;

const cleanUp = cleanUpAfterEach();

describe('a server that keeps its replication ID when it forgets [promise: after-loss]', () => {
  /** It is killed after a grant that it had not saved. Resolves to that grant and to the next one. */
  async function killAfterGrant(lease: string) {
    const server = await start({ persistence: 'rdb' });
    const store = server.store({ namespace: NAMESPACE, lease });
    await granted(store.lease(firstRequest('a')));
    await server.operator.save();
    const forgotten = await granted(store.lease(request('b')));
    await server.server.kill();
    await server.server.restart();
    expect(await server.store({ namespace: NAMESPACE }).inspect()).toMatchObject({ rows: [{ workerId: 0 }] });
    return { forgotten, again: await server.store({ namespace: NAMESPACE, lease }).lease(request('c')) };
  }

  const onConstantId = leaseScript(constantReplicationId);

  it('makes newcomers wait after a kill, by the new run ID', async () => {
    const { again } = await killAfterGrant(onConstantId);
    expect(again).toMatchObject({ outcome: 'wait', reason: 'history' });
  });

  it('grants a forgotten worker ID again if only the replication ID is compared (control)', async () => {
    const { forgotten, again } = await killAfterGrant(byReplicationIdAlone(onConstantId));
    expectOverlap(again, forgotten);
  });
});

describe('a server that has followed a stale one and is a master again [promise: after-loss]', () => {
  /** It has run all the time, and lost a grant that the other one had never heard of. */
  async function followStale(lease: string) {
    const server = await start();
    const store = server.store({ namespace: NAMESPACE, lease });
    const stale = await start({ masterPort: server.port });
    await server.untilFollowed();
    await granted(store.lease(firstRequest('a')));
    await untilGrant(stale, 0);
    const runId = await runIdOf(server);

    await stale.promote();
    const forgotten = await granted(store.lease(request('b')));
    await server.follow(stale);
    await server.untilFollowing();
    await server.promote();
    expect(await server.operator.hexists(KEY, String(forgotten.workerId))).toBe(0);
    expect(await runIdOf(server)).toBe(runId);
    return { forgotten, again: await store.lease(request('c')) };
  }

  it('makes newcomers wait after a replication of stale data, by the new replication ID', async () => {
    const { again } = await followStale(REDIS_MECHANISMS.lease);
    expect(again).toMatchObject({ outcome: 'wait', reason: 'history' });
  });

  it('grants a forgotten worker ID again if only the run ID is compared (control)', async () => {
    const { forgotten, again } = await followStale(byRunIdAlone(REDIS_MECHANISMS.lease));
    expectOverlap(again, forgotten);
  });
});

describe('a replica that accepts writes', () => {
  /** So short that the control need not wait for long. */
  const SHORT = { windowMs: 1000, maxSkewMs: 100 };

  async function startPair() {
    const master = await start();
    const link = await LateLink.start(master.port);
    cleanUp(() => link.close());
    const replica = await start({ masterPort: link.port, args: ['--replica-read-only', 'no'] });
    await replica.untilFollowing();
    await granted(master.store({ namespace: NAMESPACE }).lease(firstRequest('a', SHORT)));
    await untilGrant(replica, 0);
    return { master, link, replica };
  }

  it('grants and renews nothing on a replica', async () => {
    const { replica } = await startPair();
    const before = await replica.operator.hgetall(KEY);
    const [, fencingToken = ''] = before['0']?.split(' ') ?? [];
    const claim: LeaseRequest['claim'] = { workerId: 0, fencingToken, untilMs: Date.now() + 60_000 };
    const message = expect.stringContaining('READONLY this server is a replica');
    const unavailable = { code: 'SNOWFLAKE_STORE_UNAVAILABLE', message };
    await expect(replica.store({ namespace: NAMESPACE }).lease(request('b'))).rejects.toMatchObject(
      unavailable,
    );
    await expect(
      replica.store({ namespace: NAMESPACE }).lease(request('b', { claim })),
    ).rejects.toMatchObject(unavailable);
    expect(await replica.operator.hgetall(KEY)).toEqual(before);
  });

  it('grants on a replica what its master grants if the role is not checked (control)', async () => {
    const { master, link, replica } = await startPair();
    link.cut();
    const store = replica.store({
      namespace: NAMESPACE,
      lease: withoutAskingForRole(REDIS_MECHANISMS.lease),
    });
    const ofReplica = await waitFor('the replica to grant', TIMEOUT_MS, async () => {
      const reply = await store.lease(request('b', SHORT));
      return reply.outcome === 'new' && reply;
    });
    expectOverlap(await master.store({ namespace: NAMESPACE }).lease(request('c', SHORT)), ofReplica);
  });
});

function start(options?: Parameters<typeof OperatedRedis.start>[1]): Promise<OperatedRedis> {
  return OperatedRedis.start(cleanUp, options);
}

/** Resolves when a server has the grant of a worker ID. */
async function untilGrant({ operator }: OperatedRedis, workerId: number): Promise<void> {
  await waitFor(`the grant of ${workerId}`, TIMEOUT_MS, async () => {
    return (await operator.hexists(KEY, String(workerId))) === 1;
  });
}

async function runIdOf({ operator }: OperatedRedis): Promise<string | undefined> {
  return /run_id:(\w+)/.exec(await operator.info('server'))?.[1];
}

/** A grant that was made after another one of the same worker ID, and begins before that one's end. */
function expectOverlap(again: unknown, before: Granted): void {
  expect(again).toMatchObject({ outcome: 'new', workerId: before.workerId });
  expect((again as Granted).fromMs).toBeLessThan(before.untilMs);
}
