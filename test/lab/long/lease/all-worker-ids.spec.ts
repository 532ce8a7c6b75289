import { Redis } from 'ioredis';
import {
  type SnowflakeIdMaker,
  type SnowflakeOptions,
  WorkerIdsExhaustedError,
} from 'nestjs-snowflake/standalone';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { Inspector } from '../../../lease/support/inspector.js';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../../../lease/support/maker-pool.js';
import { storeWithoutAtomicity } from './support/store-without-atomicity.js';

const WORKER_BITS = 10;
const WORKER_COUNT = 1024;
const WINDOW_MS = 3_600_000;
const NAMESPACE = 'all-worker-ids';

let server: RedisServer;
let inspector: Inspector;
const pool = new MakerPool();

/** Windows so long that no lease is renewed while the spec looks, and calls that may take their time. */
function options(changes: SnowflakeOptions['lease'] = {}): SnowflakeOptions {
  return {
    store: redisLeaseStore({ url: server.url, namespace: NAMESPACE }),
    layout: { workerBits: WORKER_BITS },
    lease: { windowMs: WINDOW_MS, callTimeoutMs: 20_000, possibleLoss: 'ignore', ...changes },
  };
}

beforeAll(async () => {
  server = await startRedis();
  inspector = new Inspector(server.url, NAMESPACE);
});
afterAll(async () => {
  await pool.stopAll();
  await inspector.close();
  await server.stop();
});

describe('1,024 holders with 10 worker bits [promise: unique]', () => {
  const holders = new Map<number, SnowflakeIdMaker>();

  /** Generates an ID, so that the worker ID counts as used until now, and gives it back. */
  async function leave(workerId: number): Promise<void> {
    const maker = holders.get(workerId)!;
    maker.nextId();
    await pool.release(maker);
    holders.delete(workerId);
  }

  it('leases 1,024 different worker IDs to holders that start at once', async () => {
    const makers = Array.from({ length: WORKER_COUNT }, () => pool.make(options()));
    await Promise.all(makers.map((maker) => maker.start()));
    for (const maker of makers) holders.set(workerIdOf(maker), maker);
    expect([...holders.keys()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: WORKER_COUNT }, (_, i) => i),
    );
    expect(duplicatesIn(makers.map((maker) => maker.nextBigInts(10)))).toEqual([]);
    const { rows } = await inspector.snapshot();
    expect(new Set(rows.map(({ fencingToken }) => fencingToken)).size).toBe(WORKER_COUNT);
  });

  it('refuses the 1,025th holder and reports when the next worker ID becomes free', async () => {
    const before = await inspector.snapshot();
    // Long enough for an answer: without one, nobody could say that all are taken.
    const started = pool.start(options({ acquireTimeoutMs: 8000 }));
    const error = await started.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const after = await inspector.snapshot();
    const firstEndMs = Math.min(...after.rows.map(({ reservedUntilMs }) => reservedUntilMs));

    expect(error).toBeInstanceOf(WorkerIdsExhaustedError);
    const { code, workerCount, nextFreeInMs, namespace, message, retryable } =
      error as WorkerIdsExhaustedError;
    expect({ code, workerCount, retryable }).toEqual({
      code: 'SNOWFLAKE_WORKER_IDS_EXHAUSTED',
      workerCount: WORKER_COUNT,
      retryable: true,
    });
    expect(namespace).toContain(NAMESPACE);
    expect(message).toContain(`${nextFreeInMs} ms`);
    expect(nextFreeInMs).toBeLessThanOrEqual(firstEndMs - before.storeNowMs);
    expect(nextFreeInMs).toBeGreaterThanOrEqual(firstEndMs - after.storeNowMs);
  });

  it('leases a released worker ID to the newcomer that waits for one', async () => {
    const newcomer = pool.make(options());
    const waits = new Promise<string>((resolve) => {
      newcomer.subscribe((event) => event.type === 'waiting' && resolve(event.reason));
    });
    const started = newcomer.start();
    expect(await waits).toBe('full');
    await leave(517);
    await started;
    expect(workerIdOf(newcomer)).toBe(517);
    holders.set(517, newcomer);
  });
});

describe('1,024 holders of a store that reads and writes in two steps [promise: unique]', () => {
  it('leases a worker ID to several holders without atomic scripts (control)', async () => {
    const redis = new Redis(server.url);
    try {
      const makers = Array.from({ length: WORKER_COUNT }, () =>
        pool.make({ ...options(), store: storeWithoutAtomicity(redis, 'control') }),
      );
      await Promise.all(makers.map((maker) => maker.start()));
      expect(new Set(makers.map(workerIdOf)).size).toBeLessThan(WORKER_COUNT);
      expect(duplicatesIn(makers.map((maker) => maker.nextBigInts(10))).length).toBeGreaterThan(0);
    } finally {
      await redis.quit();
    }
  });
});
