import { BitLayout } from '../../libs/snowflake/src/core/layout/bit-layout.js';
import { IdDecoder } from '../../libs/snowflake/src/core/ids/decoder.js';
import { IdGenerator } from '../../libs/snowflake/src/core/generator/generator.js';
import { LeaseExhaustedError } from '../../libs/snowflake/src/core/errors/issuing-errors.js';
import { StoreUnavailableError } from '../../libs/snowflake/src/core/errors/lease-errors.js';
import { MemoryRegistry } from '../../libs/snowflake/src/stores/memory/memory-registry.js';
import { memoryLeaseStore } from '../../libs/snowflake/src/stores/memory/memory-lease-store.js';
import { VirtualClock } from '../../libs/snowflake/src/store-testing/virtual-clock.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/keeper-settings.js';
import { LeaseKeeper } from '../../libs/snowflake/src/lease/lease-keeper.js';
import type { LeaseEvent } from '../../libs/snowflake/src/lease/lease-event.js';
import type { LeaseStore } from '../../libs/snowflake/src/lease/lease-store.js';

/*
 * What the README says in seconds and IDs, measured with the default options in virtual time.
 */

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const STEP_MS = 50;
/** The longest interval that the spread of renewals can give, and the shortest. */
const SLOWEST = 1 - Number.EPSILON;
const QUICKEST = 0;

/** A process and the server that leases its worker ID. Both clocks are moved together; the link can be cut. */
class World {
  readonly clock = new VirtualClock(START_MS);
  readonly serverClock = new VirtualClock(START_MS);
  readonly registry = new MemoryRegistry();
  readonly generator: IdGenerator;
  readonly keeper: LeaseKeeper;
  readonly events: LeaseEvent[] = [];
  isAway = false;
  private readonly decoder: IdDecoder;

  constructor(random = SLOWEST) {
    const layout = new BitLayout();
    this.decoder = new IdDecoder(layout);
    this.generator = new IdGenerator(layout, this.clock);
    let nonces = 0;
    this.keeper = new LeaseKeeper(
      this.store(),
      this.generator,
      keeperSettings(layout, { possibleLoss: 'ignore' }),
      {
        clock: this.clock,
        random: () => random,
        nonce: () => String(nonces++).padStart(16, '0'),
        holderName: 'one',
      },
    );
    this.keeper.subscribe((event) => this.events.push(event));
  }

  get nowMs(): number {
    return this.serverClock.now();
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      const step = Math.min(STEP_MS, left);
      this.serverClock.freeze(step);
      await this.clock.advance(step);
    }
  }

  /** Makes an ID, and tells what it says. */
  issue(): ReturnType<IdDecoder['decode']> {
    return this.decoder.decode(this.generator.nextBigInt());
  }

  /** How far the timestamp of an ID is from the true time, in milliseconds; negative when it lags. */
  errorMs(): number {
    return this.issue().timestampMs - this.nowMs;
  }

  private store(): LeaseStore {
    const inner = memoryLeaseStore({ registry: this.registry, clock: this.serverClock });
    return {
      description: inner.description,
      renewable: true,
      lease: async (request) => {
        if (this.isAway) throw new StoreUnavailableError('is away');
        return inner.lease(request);
      },
      release: (request) => inner.release(request),
      inspect: () => inner.inspect(),
      close: () => inner.close(),
    };
  }
}

/** How long IDs carry the true time after the store went away at some moment between two renewals. */
async function trueTimeAfter(random: number, awayAfterMs: number): Promise<number> {
  const world = new World(random);
  await world.keeper.start();
  await world.advance(awayAfterMs);
  world.isAway = true;
  const awayMs = world.nowMs;
  while (world.errorMs() === 0) await world.advance(STEP_MS);
  return world.nowMs - STEP_MS - awayMs;
}

describe('a lease with the default options [promise: fail-closed]', () => {
  it('makes IDs with the true time for at least 39 s whenever the store becomes unreachable', async () => {
    const measured: number[] = [];
    for (const random of [QUICKEST, 0.5, SLOWEST]) {
      for (const awayAfterMs of [20_000, 24_500, 29_000, 32_950, 33_000]) {
        measured.push(await trueTimeAfter(random, awayAfterMs));
      }
    }
    expect(Math.min(...measured)).toBeGreaterThanOrEqual(39_000);
    // The bound is no idle one: right before the latest renewal, there is hardly more.
    expect(Math.min(...measured)).toBeLessThan(39_000 + 2 * STEP_MS);
    expect(Math.max(...measured)).toBeLessThanOrEqual(50_000);
  });

  it('makes IDs whose timestamps lag by as long as the process has been degraded', async () => {
    const world = new World();
    await world.keeper.start();
    world.isAway = true;
    await world.advance(50_000);
    expect([world.errorMs(), world.keeper.state]).toEqual([0, 'active']);
    for (let degradedMs = 5000; degradedMs <= 60_000; degradedMs += 5000) {
      await world.advance(5000);
      expect([world.errorMs(), world.keeper.state]).toEqual([-degradedMs, 'degraded']);
    }
    world.isAway = false;
    await world.advance(1000);
    expect([world.errorMs(), world.keeper.state]).toEqual([0, 'active']);
  });

  it('leaves 40,960,000 IDs when timestamps begin to lag, and then throws', async () => {
    const world = new World();
    await world.keeper.start();
    world.isAway = true;
    await world.advance(50_000 + STEP_MS);
    expect(world.errorMs()).toBeLessThan(0);
    const target = new BigUint64Array(4096);
    let made = 0;
    const useUp = (): never => {
      for (;;) {
        world.generator.fillBigInts(target);
        made += target.length;
      }
    };
    expect(useUp).toThrow(LeaseExhaustedError);
    expect(made).toBe(40_960_000);
  });

  it('makes timestamps at most 50 s ahead if the clock jumps ahead, until it corrects the clock under another worker ID', async () => {
    const world = new World();
    await world.keeper.start();
    await world.advance(30_000);
    expect(world.issue().workerId).toBe(0);
    world.clock.step(HOUR_MS);
    const errorsMs: number[] = [];
    while (world.events.every(({ type }) => type !== 'clock-corrected')) {
      errorsMs.push(world.errorMs());
      await world.advance(STEP_MS);
    }
    expect(Math.max(...errorsMs)).toBeLessThanOrEqual(50_000);
    expect(Math.max(...errorsMs)).toBeGreaterThan(35_000);
    // Until the next renewal, and no longer.
    expect(errorsMs.length * STEP_MS).toBeLessThanOrEqual(11_000);
    await world.advance(1000);
    expect(world.errorMs()).toBe(0);
    expect(world.issue().workerId).toBe(1);
  });

  it('renews the lease every 10 s, which each process spreads by 10 % both ways', () => {
    expect(new World(QUICKEST).keeper.renewEveryMs).toBe(9000);
    expect(new World(0.5).keeper.renewEveryMs).toBe(10_000);
    expect(new World(SLOWEST).keeper.renewEveryMs).toBe(11_000);
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
    const world = new World();
    world.clock.step(aheadMs);
    await world.keeper.start();
    expect(world.generator.correctionMs).toBe(correctionMs);
  });

  it('grants nothing while the clock of the store is before its first grant', async () => {
    const world = new World();
    await world.keeper.start();
    await world.advance(30_000);
    world.serverClock.step(-HOUR_MS);
    const store = memoryLeaseStore({ registry: world.registry, clock: world.serverClock });
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
    const early = await store.lease(request);
    expect(early).toMatchObject({ outcome: 'wait' });
    const { waitMs } = early as Extract<typeof early, { outcome: 'wait' }>;
    world.serverClock.freeze(waitMs + 1);
    expect(world.serverClock.now()).toBe(START_MS);
    expect(await store.lease(request)).toMatchObject({ outcome: 'new', workerId: 1, fromMs: START_MS - 1 });
  });
});
