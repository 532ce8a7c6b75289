import { Redis } from 'ioredis';
import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { leaseScript } from '../../../libs/snowflake/src/stores/redis/lease-script.js';
import { productionScripts } from '../../../libs/snowflake/src/stores/redis/redis-connection.js';
import { RedisLeaseStore } from '../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { type RedisOptions, type RedisServer, startRedis } from '../../support/servers/index.js';
import { waitFor } from '../../support/wait.js';
import {
  byReplicationIdAlone,
  byRunIdAlone,
  constantReplicationId,
  withoutAskingForRole,
} from './altered-histories.js';
import { LateLink } from './late-link.js';
import { firstRequest, granted, type Granted, request } from './requests.js';

const TIMEOUT_MS = 20_000;
const NAMESPACE = 'history';
const KEY = `snowflake:{${NAMESPACE}}`;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server and what an operator does with it. */
class Server {
  private constructor(
    readonly process: RedisServer,
    readonly operator: Redis,
  ) {}

  static async start(options: RedisOptions = {}): Promise<Server> {
    const args = ['--repl-diskless-sync-delay', '0', ...(options.args ?? [])];
    const process = await startRedis({ ...options, args });
    closing.push(() => process.stop());
    const operator = new Redis(process.url);
    operator.on('error', () => undefined);
    closing.push(() => operator.disconnect());
    return new Server(process, operator);
  }

  static following(port: number, ...args: string[]): Promise<Server> {
    return Server.start({ args: ['--replicaof', '127.0.0.1', String(port), ...args] });
  }

  store(lease: string = productionScripts.lease): RedisLeaseStore {
    const options = { url: this.process.url, namespace: NAMESPACE };
    const store = new RedisLeaseStore(options, { ...productionScripts, lease });
    closing.push(() => store.close());
    store.open({ callTimeoutMs: 30_000 });
    return store;
  }

  async untilInfo(section: 'replication', words: string): Promise<void> {
    let seen = '';
    await waitFor(
      () => `${words} in:\n${seen}`,
      TIMEOUT_MS,
      async () => (seen = await this.operator.info(section)).includes(words),
    );
  }

  /** Resolves when it has heard of the grant of a worker ID. */
  async untilGrant(workerId: number): Promise<void> {
    await waitFor(`the grant of ${workerId}`, TIMEOUT_MS, async () => {
      return (await this.operator.hexists(KEY, String(workerId))) === 1;
    });
  }

  async runId(): Promise<string | undefined> {
    return /run_id:(\w+)/.exec(await this.operator.info('server'))?.[1];
  }
}

/** A grant that was made after another one of the same worker ID, and begins before that one's end. */
function expectOverlap(again: unknown, before: Granted): void {
  expect(again).toMatchObject({ outcome: 'new', workerId: before.workerId });
  expect((again as Granted).fromMs).toBeLessThan(before.untilMs);
}

describe('a server that keeps its replication ID when it forgets [promise: after-loss]', () => {
  /** It is killed after a grant that it had not saved. Resolves to that grant and to the next one. */
  async function killAfterGrant(lease: string) {
    const server = await Server.start({ persistence: 'rdb' });
    const store = server.store(lease);
    await granted(store.lease(firstRequest('a')));
    await server.operator.save();
    const forgotten = await granted(store.lease(request('b')));
    await server.process.kill();
    await server.process.restart();
    expect(await server.store().inspect()).toMatchObject({ rows: [{ workerId: 0 }] });
    return { forgotten, again: await server.store(lease).lease(request('c')) };
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
    const server = await Server.start();
    const store = server.store(lease);
    const stale = await Server.following(server.process.port);
    await server.untilInfo('replication', 'state=online');
    await granted(store.lease(firstRequest('a')));
    await stale.untilGrant(0);
    const runId = await server.runId();

    await stale.operator.replicaof('NO', 'ONE');
    const forgotten = await granted(store.lease(request('b')));
    await server.operator.replicaof('127.0.0.1', stale.process.port);
    await server.untilInfo('replication', 'master_link_status:up');
    await server.operator.replicaof('NO', 'ONE');
    expect(await server.operator.hexists(KEY, String(forgotten.workerId))).toBe(0);
    expect(await server.runId()).toBe(runId);
    return { forgotten, again: await store.lease(request('c')) };
  }

  it('makes newcomers wait after a replication of stale data, by the new replication ID', async () => {
    const { again } = await followStale(productionScripts.lease);
    expect(again).toMatchObject({ outcome: 'wait', reason: 'history' });
  });

  it('grants a forgotten worker ID again if only the run ID is compared (control)', async () => {
    const { forgotten, again } = await followStale(byRunIdAlone(productionScripts.lease));
    expectOverlap(again, forgotten);
  });
});

describe('a replica that accepts writes', () => {
  /** So short that the control need not wait for long. */
  const SHORT = { windowMs: 1000, maxSkewMs: 100 };

  async function startPair() {
    const master = await Server.start();
    const link = await LateLink.start(master.process.port);
    closing.push(() => link.close());
    const replica = await Server.following(link.port, '--replica-read-only', 'no');
    await replica.untilInfo('replication', 'master_link_status:up');
    await granted(master.store().lease(firstRequest('a', SHORT)));
    await replica.untilGrant(0);
    return { master, link, replica };
  }

  it('grants and renews nothing on a replica', async () => {
    const { replica } = await startPair();
    const before = await replica.operator.hgetall(KEY);
    const [, fencingToken = ''] = before['0']?.split(' ') ?? [];
    const claim: LeaseRequest['claim'] = { workerId: 0, fencingToken, untilMs: Date.now() + 60_000 };
    const message = expect.stringContaining('READONLY this server is a replica');
    const unavailable = { code: 'SNOWFLAKE_STORE_UNAVAILABLE', message };
    await expect(replica.store().lease(request('b'))).rejects.toMatchObject(unavailable);
    await expect(replica.store().lease(request('b', { claim }))).rejects.toMatchObject(unavailable);
    expect(await replica.operator.hgetall(KEY)).toEqual(before);
  });

  it('grants on a replica what its master grants if the role is not checked (control)', async () => {
    const { master, link, replica } = await startPair();
    link.cut();
    const store = replica.store(withoutAskingForRole(productionScripts.lease));
    const ofReplica = await waitFor('the replica to grant', TIMEOUT_MS, async () => {
      const reply = await store.lease(request('b', SHORT));
      return reply.outcome === 'new' && reply;
    });
    expectOverlap(await master.store().lease(request('c', SHORT)), ofReplica);
  });
});
