import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { type LeaseEvent, WorkerIdsExhaustedError } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { WindowLedger } from '../../../../libs/snowflake/src/stores/port/window-ledger.js';
import { VirtualServer } from '../../../integration/redis-store/virtual-server.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { withoutReservedUntil } from '../../../lease/support/altered-scripts.js';
import { Churn } from './support/churn.js';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../../../lease/support/maker-pool.js';
import { StoppableClock } from './support/stoppable-clock.js';
import { recordedStore } from '../../../lease/support/recorded-store.js';

const WORKER_BITS = 5;
const WORKER_COUNT = 32;
const WINDOW_MS = 1000;
const LIVE = 4;
const KILLS = 5000;
const LONGEST_PAUSE_MS = 50;
const SEED = 20_260_101;
const START_MS = Date.UTC(2026, 0, 1);

const options = {
  layout: { workerBits: WORKER_BITS },
  lease: {
    windowMs: WINDOW_MS,
    renewEveryMs: 150,
    callTimeoutMs: 120,
    maxSkewMs: 250,
    reserveMs: 100,
    acquireTimeoutMs: 10_000,
    possibleLoss: 'ignore' as const,
  },
};

let server: RedisServer;
const virtualServers: VirtualServer[] = [];

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  for (const virtual of virtualServers) await virtual.close();
  await server.stop();
});

async function newChurn(namespace: string, alterLease?: (text: string) => string): Promise<Churn> {
  const virtual = new VirtualServer(server, namespace, alterLease);
  virtualServers.push(virtual);
  const churn = new Churn(virtual, options, WORKER_COUNT, START_MS);
  await churn.pass(0);
  return churn;
}

/** Of six processes that end, five are killed. Without pacing the pauses are too short for 32 worker IDs. */
function cycles(kills: number): { pauseMs: number; victim: number; isKilled: boolean }[] {
  const chance = fc.record({ pauseMs: fc.noBias(fc.nat(LONGEST_PAUSE_MS)), victim: fc.noBias(fc.nat(1000)) });
  return fc
    .sample(chance, { numRuns: Math.ceil((kills * 6) / 5), seed: SEED })
    .map((cycle, index) => ({ ...cycle, isKilled: index % 6 !== 5 }));
}

/**
 * 32 worker IDs and a window of 1 s allow for about 28 kills a second beside 4 live processes, so 5,000 would take
 * more than three minutes: Redis's clock is moved instead. The scripts are those of production except for the expression
 * that reads the time, and each of them is executed by a real Redis.
 */
describe(`${KILLS} processes killed, with 5 worker bits and a window of 1 s (seed ${SEED}) [promise: unique]`, () => {
  let churn: Churn;
  let paced = 0;

  it('never run out of worker IDs as long as live processes and kills per window fit into them', async () => {
    churn = await newChurn('churn');
    for (const { pauseMs, victim, isKilled } of cycles(KILLS)) {
      await churn.pass(pauseMs);
      while (!churn.hasFree) {
        paced++;
        await churn.pass(Math.min(LONGEST_PAUSE_MS, churn.nextFreeInMs + 1));
      }
      await churn.start();
      if (churn.live.length <= LIVE) continue;
      if (isKilled) churn.kill(victim);
      else await churn.release(victim);
    }
    // The store was at its limit again and again, and gave every worker ID as soon as it was free.
    expect(paced).toBeGreaterThan(KILLS / 10);
  }, 300_000);

  it('never hold the same timestamp of one worker ID, and never generate an ID twice', () => {
    expect(churn.ledger.overlaps()).toEqual([]);
    expect(churn.ids.length).toBeGreaterThan(KILLS);
    expect(duplicatesIn([churn.ids])).toEqual([]);
  });
});

describe('without pacing', () => {
  it('processes run out of worker IDs, and get the error for that', async () => {
    const churn = await newChurn('unpaced');
    for (let count = 0; count < WORKER_COUNT; count++) {
      await churn.start();
      churn.kill(0);
    }
    await churn.pass(WINDOW_MS / 4);
    expect(churn.hasFree).toBe(false);
    await expect(churn.start()).rejects.toThrow('"reason":"full"');

    const { maker, clock } = churn.newProcess();
    const outcome = maker.start().catch((error: unknown) => error);
    const { acquireTimeoutMs } = options.lease;
    for (let ms = 0; ms <= acquireTimeoutMs; ms += LONGEST_PAUSE_MS)
      await churn.drive(clock, LONGEST_PAUSE_MS);
    const error = await outcome;
    expect(error).toBeInstanceOf(WorkerIdsExhaustedError);
    expect((error as WorkerIdsExhaustedError).nextFreeInMs).toBe(churn.nextFreeInMs);
  });
});

describe('a script that forgets what is reserved [promise: unique]', () => {
  it('grants overlapping windows, and so makes duplicates (control)', async () => {
    const churn = await newChurn('forgetful', withoutReservedUntil);
    for (const { pauseMs, victim } of cycles(200)) {
      await churn.pass(pauseMs);
      await churn.start();
      if (churn.live.length > LIVE) churn.kill(victim);
    }
    expect(churn.ledger.overlaps().length).toBeGreaterThan(0);
    expect(duplicatesIn([churn.ids]).length).toBeGreaterThan(0);
  });
});

describe('at the pace of the real clock', () => {
  const PACE_MS = 36;
  const TURNS = 3;
  const pool = new MakerPool();
  afterEach(() => pool.stopAll());

  it('96 processes that are killed immediately need no more than 32 worker IDs', async () => {
    const ledger = new WindowLedger();
    const waits: LeaseEvent[] = [];
    const ids: bigint[] = [];
    const used = new Set<number>();
    for (let count = 0; count < TURNS * WORKER_COUNT; count++) {
      const store = redisLeaseStore({ url: server.url, namespace: 'real-time' });
      const clock = new StoppableClock();
      const maker = pool.make({ ...options, store: recordedStore(store, ledger) }, { clock });
      maker.subscribe((event) => event.type === 'waiting' && waits.push(event));
      await maker.start();
      ids.push(...maker.nextBigInts(10));
      used.add(workerIdOf(maker));
      clock.stop();
      await delay(PACE_MS);
    }
    expect(waits).toEqual([]);
    expect(used.size).toBe(WORKER_COUNT);
    expect(ledger.overlaps()).toEqual([]);
    expect(duplicatesIn([ids])).toEqual([]);
  }, 300_000);
});
