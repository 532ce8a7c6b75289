import { atOnce } from '../../../../test/support/at-once.js';
import type { ScheduledTask } from '../core/clock/clock.js';
import { IdGenerator } from '../core/generator/generator.js';
import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { keeperSettings, type LeaseOptions } from './lease-options.js';
import { LeaseKeeper } from './lease-keeper.js';
import { type LeaseSchedule, retryDelayMs } from './lease-schedule.js';

/** A keeper, and a scheduler that renews by it until it is silenced. */
class World {
  readonly clock = new VirtualClock();
  readonly keeper: LeaseKeeper;
  readonly states: string[] = [];
  /** When the lease was renewed, in milliseconds after the last call of `begin`. */
  renewedAtMs: number[] = [];
  private beganAtMs = 0;
  private calls: ScheduledTask | undefined;

  constructor(lease: LeaseOptions, random = 0.5) {
    const layout = new BitLayout();
    let made = 0;
    this.keeper = new LeaseKeeper(
      memoryLeaseStore({ clock: this.clock }),
      new IdGenerator(layout, this.clock),
      keeperSettings(layout, { ...lease, possibleLoss: 'ignore' }),
      {
        clock: this.clock,
        random: () => random,
        nonce: () => String(made++).padStart(16, '0'),
        holderName: 'test',
        nodeEnv: () => undefined,
      },
    );
    this.keeper.subscribe((event) => {
      if (event.type === 'state') this.states.push(event.to);
      if (event.type === 'renewed') this.renewedAtMs.push(this.clock.now() - this.beganAtMs);
    });
  }

  get everyMs(): number {
    return this.keeper.renewEveryMs!;
  }

  /** The scheduler begins to call, every `renewEveryMs`. */
  begin(): void {
    this.renewedAtMs = [];
    this.beganAtMs = this.clock.now();
    this.callLater();
  }

  silence(): void {
    this.calls?.cancel();
  }

  private callLater(): void {
    this.calls = this.clock.schedule(this.everyMs, () => {
      this.callLater();
      void this.keeper.renew();
    });
  }
}

const EVERY_MS = 1000;
const CALL_TIMEOUT_MS = 50;
const ROOMY = { windowMs: 60_000, renewEveryMs: EVERY_MS, callTimeoutMs: CALL_TIMEOUT_MS };

describe('a lease that a scheduler of the app renews', () => {
  async function scheduled(): Promise<World> {
    const world = new World(ROOMY);
    await atOnce(world.keeper.start());
    world.begin();
    return world;
  }

  it('is renewed when the scheduler calls, and by nothing else', async () => {
    const { clock, keeper, renewedAtMs } = await scheduled();
    await clock.advance(3000);
    // Its own timer was due as well at the end of the first interval.
    expect(renewedAtMs.slice(-2)).toEqual([2000, 3000]);
    expect(renewedAtMs.every((atMs) => atMs % EVERY_MS === 0)).toBe(true);
    await atOnce(keeper.stop());
  });

  it('is renewed by a timer once the scheduler is late by callTimeoutMs, until it calls again', async () => {
    const world = await scheduled();
    const { clock, keeper } = world;
    await clock.advance(2000);
    world.silence();
    world.renewedAtMs = [];
    await clock.advance(3500);
    expect(world.renewedAtMs).toEqual([3050, 4050, 5050]);
    world.begin();
    await clock.advance(3100);
    // The timer is due once more before the first call.
    expect(world.renewedAtMs).toEqual([550, 1000, 2000, 3000]);
    await atOnce(keeper.stop());
  });

  it("isn't renewed after a stop, even if the app calls renew()", async () => {
    for (const isSilent of [false, true]) {
      const world = await scheduled();
      const { clock, keeper } = world;
      if (isSilent) world.silence();
      await clock.advance(5000);
      await atOnce(keeper.stop());
      world.renewedAtMs = [];
      await clock.advance(60_000);
      await atOnce(keeper.renew());
      expect(world.renewedAtMs).toEqual([]);
    }
  });

  it('is not asked for before there is one', async () => {
    const { clock, keeper, states } = new World(ROOMY);
    await atOnce(keeper.renew());
    await clock.advance(60_000);
    expect(states).toEqual([]);
  });
});

/** Accepted, with hardly any time to spare. */
const TIGHT = { windowMs: 3000, renewEveryMs: 2000, callTimeoutMs: 50, maxSkewMs: 100, reserveMs: 100 };

describe('a lease with little time to spare [promise: fail-closed]', () => {
  async function silenced(random: number): Promise<World> {
    const world = new World(TIGHT, random);
    await atOnce(world.keeper.start());
    world.begin();
    await world.clock.advance(2 * world.everyMs);
    world.silence();
    return world;
  }

  it.each<[string, number]>([
    ['shortest', 0],
    ['ordinary', 0.5],
    ['longest', 0.999],
  ])('is renewed in time when the scheduler falls silent, with the %s interval', async (_, random) => {
    const { clock, keeper, states } = await silenced(random);
    for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 50) {
      await clock.advance(50);
      expect(keeper.currentState()).toBe('active');
    }
    expect(states).toEqual(['acquiring', 'active']);
    await atOnce(keeper.stop());
  });

  it('runs out when the scheduler falls silent and no timer takes over (control)', async () => {
    const { clock, keeper } = await silenced(0.5);
    const timer = Reflect.get(Reflect.get(keeper, 'schedule') as LeaseSchedule, 'renewal') as ScheduledTask;
    timer.cancel();
    await clock.advance(TIGHT.windowMs);
    expect(keeper.currentState()).toBe('degraded');
    await atOnce(keeper.stop());
  });
});

describe('retryDelayMs', () => {
  const error = new StoreUnavailableError('away');
  const limits = (longestMs: number): number[] =>
    [1, 2, 3, 4, 5].map((failures) => retryDelayMs(error, failures, longestMs, { random: () => 1 }));

  it('spreads the retries of a start more and more widely, up to a limit', () => {
    const [first = 0, second = 0, ...later] = limits(10_000);
    expect(first).toBeLessThan(second);
    expect(later.at(-1)).toBe(10_000);
    expect(retryDelayMs(error, 5, 10_000, { random: () => 0 })).toBe(125);
  });

  it('keeps the retries of a holder close together', () => {
    expect(new Set(limits(0))).toEqual(new Set([250]));
  });
});
