import { jest } from '@jest/globals';
import type { SnowflakeOptions } from 'nestjs-snowflake';
import { BitLayout, IdGenerator } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { LogicalClock } from '../../libs/snowflake/src/core/generator/logical-clock.js';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { Inspector } from './support/inspector.js';
import { duplicatesIn } from './support/id-checks.js';
import { MakerPool, workerIdOf } from './support/maker-pool.js';
import { SteppedHolder } from './support/stepped-holder.js';

const HOUR_MS = 3_600_000;
const IDS_AT_A_TIME = 50;
const FIRST = 0;
const STEPS = 5;
/** A call may take so long that a busy machine neither misses its bound nor seems to have another clock. */
const TRUSTING = {
  possibleLoss: 'ignore' as const,
  renewEveryMs: 300,
  maxSkewMs: 20_000,
  callTimeoutMs: 10_000,
};
/** More than maxSkew: the store's clock corrects it. */
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

async function setScene(changes: Partial<SnowflakeOptions> = {}): Promise<Scene> {
  const namespace = `rollback-${namespaces++}`;
  const store = redisLeaseStore({ url: server.url, namespace });
  const holder = new SteppedHolder(pool, { layout: { workerBits: 5 }, lease: TRUSTING, store, ...changes });
  await holder.maker.start();
  expect(workerIdOf(holder.maker)).toBe(FIRST);
  const inspector = new Inspector(server.url, namespace);
  inspectors.push(inspector);
  return { holder, inspector };
}

describe('a clock that goes back by 3 ms', () => {
  it('causes no gap, no duplicate and no switch to another worker ID', async () => {
    const { holder } = await setScene();
    for (let step = 0; step < 5; step++) {
      holder.stepBack(3);
      const renewals = holder.eventsOf('renewed').length;
      await holder.issueUntil('a renewal', () => holder.eventsOf('renewed').length > renewals);
    }
    expect(holder.eventsOf('clock-rollback')).toEqual([]);
    expect(holder.switches).toEqual([]);
    expect(workerIdOf(holder.maker)).toBe(FIRST);
    expect(holder.duplicates).toEqual([]);
  });
});

describe.each([
  ['1 s', 1000],
  ['1 h', HOUR_MS],
])('a clock that goes back by %s [promise: order]', (_name, backwardsMs) => {
  it('lets the holder switch to another worker ID without a gap or a duplicate', async () => {
    const { holder, inspector } = await setScene();
    holder.stepBack(backwardsMs);
    // Logical time goes on within the window that is held.
    expect(holder.lastIssued.workerId).toBe(FIRST);
    await holder.issueUntil('the old worker ID to be released', () => holder.eventsOf('released').length > 0);

    const rollbacks = holder.eventsOf('clock-rollback');
    expect(rollbacks).toHaveLength(1);
    expect(rollbacks[0]!.backwardsMs).toBeLessThanOrEqual(backwardsMs);
    expect(holder.switches).toMatchObject([{ workerId: FIRST + 1, previousWorkerId: FIRST }]);
    expect(new Set(holder.issued.map(({ workerId }) => workerId))).toEqual(new Set([FIRST, FIRST + 1]));
    expect(holder.duplicates).toEqual([]);
    expect(await inspector.row(FIRST)).toMatchObject({
      fencingToken: '',
      reservedUntilMs: holder.lastTimestampOf(FIRST),
    });
  });

  it('generates IDs of the right time once the holder has switched', async () => {
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

  it('makes the holder switch at most once per step, even if steps come faster than the answers of the store', async () => {
    const { holder } = await setScene();
    const QUICK_STEPS = 3;
    for (let step = 0; step < QUICK_STEPS; step++) holder.stepBack(backwardsMs);
    await holder.issueUntil('the release', () => holder.eventsOf('released').length > 0);
    await holder.issueUntil('things to settle', () => holder.eventsOf('renewed').length > 2);
    expect(holder.eventsOf('clock-rollback')).toHaveLength(QUICK_STEPS);
    expect(holder.switches.length).toBeGreaterThanOrEqual(1);
    expect(holder.switches.length).toBeLessThanOrEqual(QUICK_STEPS);
    expect(holder.duplicates).toEqual([]);
  });
});

describe.each([
  ['30 s', CORRECTED_STEP_MS],
  ['1 h', HOUR_MS],
])('a clock that goes back by %s, again and again', (_name, backwardsMs) => {
  it('makes the holder switch once for each step, however many IDs it makes meanwhile', async () => {
    const { holder, inspector } = await setScene();
    for (let step = 1; step <= STEPS; step++) {
      holder.stepBack(backwardsMs);
      await holder.issueUntil('the release', () => holder.eventsOf('released').length === step);
    }
    for (let round = 0; round < 3; round++) {
      const renewals = holder.eventsOf('renewed').length;
      await holder.issueUntil('a renewal', () => holder.eventsOf('renewed').length > renewals);
    }
    expect(holder.switches).toHaveLength(STEPS);
    expect(holder.eventsOf('clock-rollback')).toHaveLength(STEPS);
    expect(holder.duplicates).toEqual([]);
    const { rows } = await inspector.snapshot();
    expect(rows.filter(({ fencingToken }) => fencingToken !== '').map(({ workerId }) => workerId)).toEqual([
      workerIdOf(holder.maker),
    ]);
  });
});

describe('a clock rollback without the switch of the worker ID [promise: order, unique]', () => {
  it('switches to another worker ID for 3 ms if rollbackToleranceMs is 0 (control)', async () => {
    const { holder } = await setScene({ rollbackToleranceMs: 0 });
    await holder.issueUntil('a switch', () => {
      holder.stepBack(3);
      return holder.switches.length > 0;
    });
    expect(holder.duplicates).toEqual([]);
  });

  it('keeps the worker ID under the policy hold (control)', async () => {
    const { holder } = await setScene({ onClockRollback: 'hold' });
    holder.stepBack(HOUR_MS);
    await holder.issueUntil('things to settle', () => holder.eventsOf('renewed').length > 2);
    expect(holder.eventsOf('clock-rollback')).toHaveLength(1);
    expect(holder.switches).toEqual([]);
  });

  it('makes duplicates with a generator that follows the clock back (control)', () => {
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
