import { Redis } from 'ioredis';
import type { LeaseReply, LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { productionScripts } from '../../../../libs/snowflake/src/stores/redis/redis-connection.js';
import { RedisLeaseStore } from '../../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { startRedis } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { answered, firstRequest, request } from '../../../integration/redis-store/requests.js';

const TIMEOUT_MS = 60_000;
const TEST_WITHIN_MS = 240_000;
/** As short as `minReplicas` allows, for a short wait after the first failover. */
const SHORT = { windowMs: 3000, maxSkewMs: 2000 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server and what an operator does with it. */
class Server {
  private constructor(
    readonly port: number,
    private readonly url: string,
    private readonly operator: Redis,
  ) {}

  static async start(master?: Server): Promise<Server> {
    const following = master ? ['--replicaof', '127.0.0.1', String(master.port)] : [];
    const server = await startRedis({ args: ['--repl-diskless-sync-delay', '0', ...following] });
    closing.push(() => server.stop());
    const operator = new Redis(server.url);
    closing.push(() => operator.disconnect());
    return new Server(server.port, server.url, operator);
  }

  async promote(): Promise<void> {
    await this.operator.replicaof('NO', 'ONE');
  }

  async follow(master: Server): Promise<void> {
    await this.operator.replicaof('127.0.0.1', master.port);
  }

  async untilFollowedBy(count: number): Promise<void> {
    await waitFor(`${count} to follow`, TIMEOUT_MS, async () => {
      const info = await this.operator.info('replication');
      return (info.match(/state=online/g) ?? []).length === count;
    });
  }

  store(lease = productionScripts.lease): RedisLeaseStore {
    const options = { url: this.url, namespace: 'restored', minReplicas: 1 };
    const store = new RedisLeaseStore(options, { ...productionScripts, lease });
    closing.push(() => store.close());
    store.open({ callTimeoutMs: 10_000 });
    return store;
  }
}

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
  const master = await Server.start();
  const [elected, third] = [await Server.start(master), await Server.start(master)];
  await master.untilFollowedBy(2);
  const store = master.store(lease);
  expect(await answer(store, firstRequest('a', SHORT))).toMatchObject({ outcome: 'new' });
  await elected.promote();
  await third.follow(elected);
  await elected.untilFollowedBy(1);
  const storeOfElected = elected.store();
  expect(await answer(storeOfElected, request('b', SHORT))).toMatchObject({ outcome: 'wait' });
  const other = await firstGrant(storeOfElected, { windowMs: 600_000 });
  await third.follow(master);
  await master.untilFollowedBy(1);
  return { other, again: await answer(store, request('c', SHORT)) };
}

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
      const { other, again } = await putBack(byHistoryAlone(productionScripts.lease));
      expect(again).toMatchObject({ outcome: 'new', workerId: other.workerId });
      if (again.outcome === 'new') expect(again.fromMs).toBeLessThan(other.untilMs);
    },
    TEST_WITHIN_MS,
  );
});
