import { LeaseExhaustedError } from '../../libs/snowflake/src/core/errors/issuing-errors.js';
import { BitLayout } from '../../libs/snowflake/src/core/layout/bit-layout.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/lease-options.js';
import type { LeaseHolder } from '../support/leases/lease-holder.js';
import { LeaseWorld } from '../support/leases/lease-world.js';

/*
 * What the README says in seconds and IDs, measured with the default options in virtual time.
 */

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const STEP_MS = 50;
/** The longest interval that the spread of renewals can give, and the shortest. */
const SLOWEST = 1 - Number.EPSILON;
const QUICKEST = 0;

async function startedWorld(random = SLOWEST): Promise<{ world: LeaseWorld; holder: LeaseHolder }> {
  const world = new LeaseWorld();
  const holder = world.holder({ random });
  await holder.keeper.start();
  return { world, holder };
}

/** How long IDs carry the true time after the store became unreachable at some moment between two renewals. */
async function trueTimeAfter(random: number, unreachableAfterMs: number): Promise<number> {
  const { world, holder } = await startedWorld(random);
  await world.advance(unreachableAfterMs);
  world.store.fault = 'unreachable';
  const unreachableMs = world.store.clock.now();
  while (world.errorMs(holder) === 0) await world.advance(STEP_MS);
  return world.store.clock.now() - STEP_MS - unreachableMs;
}

describe('a lease with the default options [promise: fail-closed]', () => {
  it('generates IDs with the true time for at least 39 s whenever the store becomes unreachable', async () => {
    const measured: number[] = [];
    for (const random of [QUICKEST, 0.5, SLOWEST]) {
      for (const unreachableAfterMs of [20_000, 24_500, 29_000, 32_950, 33_000]) {
        measured.push(await trueTimeAfter(random, unreachableAfterMs));
      }
    }
    expect(Math.min(...measured)).toBeGreaterThanOrEqual(39_000);
    // The bound is no idle one: right before the latest renewal, there is hardly more.
    expect(Math.min(...measured)).toBeLessThan(39_000 + 2 * STEP_MS);
    expect(Math.max(...measured)).toBeLessThanOrEqual(50_000);
  });

  it('generates IDs whose timestamps lag by as long as the process has been degraded', async () => {
    const { world, holder } = await startedWorld();
    world.store.fault = 'unreachable';
    await world.advance(50_000);
    expect([world.errorMs(holder), holder.keeper.currentState()]).toEqual([0, 'active']);
    for (let degradedMs = 5000; degradedMs <= 60_000; degradedMs += 5000) {
      await world.advance(5000);
      expect([world.errorMs(holder), holder.keeper.currentState()]).toEqual([-degradedMs, 'degraded']);
    }
    world.store.fault = 'none';
    await world.advance(1000);
    expect([world.errorMs(holder), holder.keeper.currentState()]).toEqual([0, 'active']);
  });

  it('leaves 40,960,000 IDs when timestamps begin to lag, and then throws', async () => {
    const { world, holder } = await startedWorld();
    world.store.fault = 'unreachable';
    await world.advance(50_000 + STEP_MS);
    expect(world.errorMs(holder)).toBeLessThan(0);
    const target = new BigUint64Array(4096);
    let made = 0;
    const useUp = (): never => {
      for (;;) {
        holder.generator.fillBigInts(target);
        made += target.length;
      }
    };
    expect(useUp).toThrow(LeaseExhaustedError);
    expect(made).toBe(40_960_000);
  });

  it('makes timestamps at most 50 s ahead if the clock jumps ahead, until it corrects the clock under another worker ID', async () => {
    const { world, holder } = await startedWorld();
    await world.advance(30_000);
    expect(holder.issue().workerId).toBe(0);
    holder.clock.step(HOUR_MS);
    const errorsMs: number[] = [];
    while (holder.events.every(({ type }) => type !== 'clock-corrected')) {
      errorsMs.push(world.errorMs(holder));
      await world.advance(STEP_MS);
    }
    expect(Math.max(...errorsMs)).toBeLessThanOrEqual(50_000);
    expect(Math.max(...errorsMs)).toBeGreaterThan(35_000);
    // That lasts until the next renewal, and no longer.
    expect(errorsMs.length * STEP_MS).toBeLessThanOrEqual(11_000);
    await world.advance(1000);
    expect(world.errorMs(holder)).toBe(0);
    expect(holder.issue().workerId).toBe(1);
  });

  it('renews the lease every 10 s, which each process spreads by 10 % both ways', () => {
    expect(new LeaseWorld().holder({ random: QUICKEST }).keeper.renewEveryMs).toBe(9000);
    expect(new LeaseWorld().holder({ random: 0.5 }).keeper.renewEveryMs).toBe(10_000);
    expect(new LeaseWorld().holder({ random: SLOWEST }).keeper.renewEveryMs).toBe(11_000);
  });

  it.each([
    [5000, 0],
    [5001, -5001],
    [-5001, 5001],
    // Behind by less, it is set to where its window begins: there is nothing to wait for.
    [-5000, 4999],
    [-2, 1],
    [-1, 0],
  ])('corrects a clock that is %i ms ahead by %i ms', async (aheadMs, correctionMs) => {
    const holder = new LeaseWorld().holder();
    holder.clock.step(aheadMs);
    await holder.keeper.start();
    expect(holder.generator.correctionMs).toBe(correctionMs);
  });

  it('grants nothing while the clock of the store is before its first grant', async () => {
    const { world } = await startedWorld();
    await world.advance(30_000);
    world.store.clock.step(-HOUR_MS);
    const request = {
      layout: keeperSettings(new BitLayout(), {}).fingerprint,
      firstWorkerId: 0,
      workerCount: 1024,
      windowMs: 60_000,
      maxSkewMs: 5000,
      nonce: 'newcomer',
      retry: false,
      assumeNew: true,
      searchSeed: 0,
    };
    const early = await world.store.lease(request);
    expect(early).toMatchObject({ outcome: 'wait' });
    const { waitMs } = early as Extract<typeof early, { outcome: 'wait' }>;
    world.store.clock.freeze(waitMs + 1);
    expect(world.store.clock.now()).toBe(START_MS);
    expect(await world.store.lease(request)).toMatchObject({
      outcome: 'new',
      workerId: 1,
      fromMs: START_MS - 1,
    });
  });
});
