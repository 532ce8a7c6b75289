import { jest } from '@jest/globals';
import type { LeaseStore, SnowflakeIdMaker, SnowflakeOptions } from 'nestjs-snowflake';
import { BitLayout, IdGenerator } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { LogicalClock } from '../../libs/snowflake/src/core/generator/logical-clock.js';
import { VirtualClock } from '../../libs/snowflake/src/store-testing/virtual-clock.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { Inspector } from './support/inspector.js';
import { duplicatesIn } from './support/judge.js';
import { MakerPool, workerIdOf } from './support/maker-pool.js';
import { SteppedHolder } from './support/stepped-holder.js';

const PATIENCE_MS = 30_000;
const HOUR_MS = 3_600_000;
const IDS_AT_A_TIME = 50;
/** The worker IDs that were used before, in the order in which their holders left. */
const OFFLINE = [3, 0, 4, 1, 2];
const FRESH = 5;
/** A call may take so long that a busy machine neither misses its bound nor seems to have another clock. */
const TRUSTING = {
  possibleLoss: 'ignore' as const,
  renewEveryMs: 300,
  maxSkewMs: 20_000,
  callTimeoutMs: 10_000,
};
/** More than maxSkew: the store's clock corrects it, so that what is offline longest is not decided by the steps. */
const CORRECTED_STEP_MS = 30_000;

let server: RedisServer;
let namespaces = 0;
const pool = new MakerPool();
const inspectors: Inspector[] = [];

beforeAll(async () => {
  server = await startRedis();
});
afterEach(async () => {
  await pool.stopAll();
  await Promise.all(inspectors.splice(0).map((inspector) => inspector.close()));
});
afterAll(() => server.stop());

interface Scene {
  readonly holder: SteppedHolder;
  readonly inspector: Inspector;
}

/** Worker IDs 0 to 4 have been used and released, in an order of their own; the holder has worker ID 5. */
async function setScene(
  changes: Partial<SnowflakeOptions> = {},
  wrap: (store: LeaseStore) => LeaseStore = (store) => store,
): Promise<Scene> {
  const namespace = `rollback-${namespaces++}`;
  const store = (): LeaseStore => redisLeaseStore({ url: server.url, namespace });
  const options = { layout: { workerBits: 5 }, lease: TRUSTING };
  const former: SnowflakeIdMaker[] = [];
  for (const _ of OFFLINE) former.push(await pool.start({ ...options, store: store() }));
  for (const workerId of OFFLINE) {
    const maker = former.find((candidate) => workerIdOf(candidate) === workerId)!;
    const { timestampMs } = maker.decode(maker.nextId());
    await pool.giveBack(maker);
    await waitFor('the next millisecond', PATIENCE_MS, () => Date.now() > timestampMs + 1);
  }
  const holder = new SteppedHolder(pool, { ...options, ...changes, store: wrap(store()) });
  await holder.maker.start();
  expect(workerIdOf(holder.maker)).toBe(FRESH);
  const inspector = new Inspector(server.url, namespace);
  inspectors.push(inspector);
  return { holder, inspector };
}

describe('a clock that goes back by 3 ms', () => {
  it('costs nothing: no gap, no duplicate, no other worker ID', async () => {
    const { holder } = await setScene();
    for (let step = 0; step < 5; step++) {
      holder.stepBack(3);
      const renewals = holder.eventsOf('renewed').length;
      await holder.issueUntil('a renewal', () => holder.eventsOf('renewed').length > renewals);
    }
    expect(holder.eventsOf('clock-rollback')).toEqual([]);
    expect(holder.switches).toEqual([]);
    expect(workerIdOf(holder.maker)).toBe(FRESH);
    expect(holder.duplicates).toEqual([]);
  });
});

describe.each([
  ['1 s', 1000],
  ['1 h', HOUR_MS],
])('a clock that goes back by %s [promise: order]', (_name, backwardsMs) => {
  it('brings on the worker ID that has been offline longest, without a gap or a duplicate', async () => {
    const { holder, inspector } = await setScene();
    holder.stepBack(backwardsMs);
    // Logical time goes on within the window that is held.
    expect(holder.lastIssued.workerId).toBe(FRESH);
    await holder.issueUntil('the old worker ID to be released', () => holder.eventsOf('released').length > 0);

    const rollbacks = holder.eventsOf('clock-rollback');
    expect(rollbacks).toHaveLength(1);
    expect(rollbacks[0]!.backwardsMs).toBeLessThanOrEqual(backwardsMs);
    expect(holder.switches).toMatchObject([{ workerId: OFFLINE[0], previousWorkerId: FRESH }]);
    expect(new Set(holder.issued.map(({ workerId }) => workerId))).toEqual(new Set([FRESH, OFFLINE[0]]));
    expect(holder.duplicates).toEqual([]);
    expect(await inspector.row(FRESH)).toMatchObject({
      fencingToken: '',
      reservedUntilMs: holder.lastTimestampOf(FRESH),
    });
  });

  it('is followed by IDs of the right time', async () => {
    const { holder, inspector } = await setScene();
    holder.stepBack(backwardsMs);
    await holder.issueUntil('the switch', () => holder.switches.length > 0);
    const { storeNowMs: beforeMs } = await inspector.snapshot();
    await holder.issueUntil('some IDs more', () => true);
    const { storeNowMs: afterMs } = await inspector.snapshot();
    expect(holder.lastIssued.timestampMs).toBeGreaterThan(beforeMs - 2000);
    expect(holder.lastIssued.timestampMs).toBeLessThan(afterMs + 2000);
    const corrections = holder.eventsOf('clock-corrected');
    expect(corrections).toHaveLength(backwardsMs === HOUR_MS ? 1 : 0);
  });

  it('takes no more than one worker ID for each step when steps come faster than the store answers', async () => {
    const { holder } = await setScene();
    const STEPS = 3;
    for (let step = 0; step < STEPS; step++) holder.stepBack(backwardsMs);
    await holder.issueUntil('the release', () => holder.eventsOf('released').length > 0);
    await holder.issueUntil('things to settle', () => holder.eventsOf('renewed').length > 2);
    expect(holder.eventsOf('clock-rollback')).toHaveLength(STEPS);
    expect(holder.switches.length).toBeGreaterThanOrEqual(1);
    expect(holder.switches.length).toBeLessThanOrEqual(STEPS);
    expect(holder.duplicates).toEqual([]);
  });
});

describe.each([
  ['30 s', CORRECTED_STEP_MS],
  ['1 h', HOUR_MS],
])('a clock that goes back by %s, again and again', (_name, backwardsMs) => {
  it('takes one worker ID for each step, however many IDs are made meanwhile', async () => {
    const { holder, inspector } = await setScene();
    for (let step = 1; step <= OFFLINE.length; step++) {
      holder.stepBack(backwardsMs);
      await holder.issueUntil('the release', () => holder.eventsOf('released').length === step);
    }
    for (let round = 0; round < 3; round++) {
      const renewals = holder.eventsOf('renewed').length;
      await holder.issueUntil('a renewal', () => holder.eventsOf('renewed').length > renewals);
    }
    expect(holder.switches.map(({ workerId }) => workerId)).toEqual(OFFLINE);
    expect(holder.eventsOf('clock-rollback')).toHaveLength(OFFLINE.length);
    expect(holder.duplicates).toEqual([]);
    const { rows } = await inspector.snapshot();
    expect(rows.filter(({ fencingToken }) => fencingToken !== '').map(({ workerId }) => workerId)).toEqual([
      OFFLINE.at(-1),
    ]);
    expect(rows).toHaveLength(FRESH + 1);
  });
});

describe('without the mechanism [promise: order, unique]', () => {
  it('a holder that tolerates nothing goes to another worker ID for 3 ms', async () => {
    const { holder } = await setScene({ rollbackToleranceMs: 0 });
    await holder.issueUntil('a switch', () => {
      holder.stepBack(3);
      return holder.switches.length > 0;
    });
    expect(holder.duplicates).toEqual([]);
  });

  it('under the policy hold, the worker ID stays', async () => {
    const { holder } = await setScene({ onClockRollback: 'hold' });
    holder.stepBack(HOUR_MS);
    await holder.issueUntil('things to settle', () => holder.eventsOf('renewed').length > 2);
    expect(holder.eventsOf('clock-rollback')).toHaveLength(1);
    expect(holder.switches).toEqual([]);
  });

  it('a store that is not told to prefer an offline worker ID gives a fresh one', async () => {
    const { holder } = await setScene({}, (store) => ({
      description: store.description,
      renewable: store.renewable,
      open: (settings) => store.open?.(settings),
      lease: (request) => store.lease({ ...request, preferOffline: false }),
      release: (request) => store.release(request),
      inspect: () => store.inspect(),
      close: () => store.close(),
    }));
    holder.stepBack(HOUR_MS);
    await holder.issueUntil('the switch', () => holder.switches.length > 0);
    expect(holder.switches).toMatchObject([{ workerId: FRESH + 1 }]);
  });

  it('a generator that follows the clock back makes duplicates (control)', () => {
    const clock = new VirtualClock();
    const layout = new BitLayout();
    const generator = new IdGenerator(layout, clock);
    const nowMs = clock.now();
    generator.adopt({
      workerId: 1,
      fromMs: nowMs - 1,
      untilMs: nowMs + HOUR_MS,
      clockTimeUntilMs: nowMs + HOUR_MS,
    });
    const following = jest
      .spyOn(LogicalClock.prototype, 'next')
      .mockImplementation(() => layout.tickAt(clock.now()));
    const ids: bigint[] = [];
    for (let ms = 0; ms < 10; ms++) {
      ids.push(...generator.nextBigInts(IDS_AT_A_TIME));
      clock.step(1);
    }
    clock.step(-5);
    ids.push(...generator.nextBigInts(IDS_AT_A_TIME));
    following.mockRestore();
    expect(duplicatesIn([ids])).toHaveLength(IDS_AT_A_TIME);
  });
});
