import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { productionScripts } from '../../libs/snowflake/src/stores/redis/redis-connection.js';
import { RedisLeaseStore } from '../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import type { TestChild } from '../support/child.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { withoutComparing } from './support/altered-scripts.js';
import { spawnHolder } from './support/holding-job.js';
import { Inspector } from './support/inspector.js';
import { MakerPool, workerIdOf } from './support/maker-pool.js';

const layout = { workerBits: 2 };
/** Those who live keep their worker IDs, however long the machine is away. */
const lease = { windowMs: 600_000, possibleLoss: 'ignore' as const };
/** Ends soon after a process was killed, and not while a process that lives is kept from running. */
const killedLease = { ...lease, windowMs: 12_000, renewEveryMs: 250, maxSkewMs: 2000, callTimeoutMs: 1000 };
const PATIENCE_MS = 60_000;

let server: RedisServer;
const pool = new MakerPool();
const children: TestChild[] = [];

beforeAll(async () => {
  server = await startRedis();
});
afterEach(async () => {
  await pool.stopAll();
  await Promise.all(children.splice(0).map((child) => child.kill()));
});
afterAll(() => server.stop());

describe('of the worker IDs of killed processes', () => {
  const namespace = 'killed';
  const start = (): Promise<SnowflakeIdMaker> =>
    pool.start({ store: redisLeaseStore({ url: server.url, namespace }), layout, lease });

  it('a newcomer gets the worker ID that has been offline longest, once its window has ended', async () => {
    const inspector = new Inspector(server.url, namespace);
    const job = { url: server.url, namespace, layout, lease: killedLease };
    const spawned = await Promise.all([spawnHolder(job), spawnHolder(job)]);
    children.push(...spawned.map(({ child }) => child));
    const [first, second] = spawned;
    const alive = [await start(), await start()];
    const aliveIds = alive.map(workerIdOf);

    await second.child.kill();
    const abandoned = await inspector.row(second.workerId);
    await waitFor('the other process to renew after that', PATIENCE_MS, async () => {
      return (await inspector.row(first.workerId)).reservedUntilMs > abandoned.reservedUntilMs;
    });
    await first.child.kill();
    const newcomers = [await start(), await start()];

    expect(newcomers.map(workerIdOf)).toEqual([second.workerId, first.workerId]);
    expect(alive.map(workerIdOf)).toEqual(aliveIds);
    const ids = newcomers[0]!.nextBigInts(1);
    expect(newcomers[0]!.decode(ids[0]!).timestampMs).toBeGreaterThan(abandoned.reservedUntilMs);
    await inspector.close();
  }, 180_000);
});

describe('of released worker IDs', () => {
  const released = [2, 0, 3, 1];
  const releasedBackwards = released.toReversed();

  /** All four are held and given back in this order; then four newcomers come. */
  async function takenAfter(order: readonly number[], store: () => LeaseStore): Promise<number[]> {
    const start = (): Promise<SnowflakeIdMaker> => pool.start({ store: store(), layout, lease });
    const holders: SnowflakeIdMaker[] = [];
    for (let count = 0; count < order.length; count++) holders.push(await start());
    for (const workerId of order) {
      const holder = holders.find((maker) => workerIdOf(maker) === workerId)!;
      holder.nextId();
      await pool.giveBack(holder);
      await delay(5);
    }
    const newcomers: number[] = [];
    for (let count = 0; count < order.length; count++) newcomers.push(workerIdOf(await start()));
    await pool.stopAll();
    return newcomers;
  }

  it.each([[released], [releasedBackwards]])(
    'newcomers get the one that has been offline longest first: %j',
    async (order) => {
      const options = { url: server.url, namespace: `released-${order.join('-')}` };
      expect(await takenAfter(order, () => redisLeaseStore(options))).toEqual(order);
    },
  );

  it('they get them in another order from a script that does not compare', async () => {
    const scripts = { ...productionScripts, lease: withoutComparing(productionScripts.lease) };
    const takenOf = (order: readonly number[]): Promise<number[]> => {
      const options = { url: server.url, namespace: `control-${order.join('-')}` };
      return takenAfter(order, () => new RedisLeaseStore(options, scripts));
    };
    // Redis returns the rows in an order of its own. That may be one of these two, but can't be both.
    const taken = [await takenOf(released), await takenOf(releasedBackwards)];
    expect(taken).not.toEqual([released, releasedBackwards]);
  });
});
