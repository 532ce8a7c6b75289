import { atOnce } from '../../../../test/support/at-once.js';
import type { ScheduledTask } from '../core/clock/clock.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { StoreRejectedError, StoreUnavailableError } from '../core/errors/lease-errors.js';
import { IdGenerator } from '../core/generator/generator.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { GRACE_MS } from '../kit/call-deadline.js';
import { keeperSettings, sanitizedHolderName, type LeaseOptions } from './lease-options.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { CallDeadline, LeaseStore } from './lease-store.js';
import { retryDelayMs, StoreCaller } from './store-caller.js';

describe('keeperSettings', () => {
  const settings = (options: LeaseOptions, tickMs = 1) => keeperSettings(new BitLayout({ tickMs }), options);

  it('follows from the window', () => {
    expect(settings({})).toMatchObject({
      windowMs: 60_000,
      renewEveryMs: 10_000,
      reserveMs: 10_000,
      maxSkewMs: 5_000,
      callTimeoutMs: 2_000,
      acquireTimeoutMs: 80_000,
    });
    expect(settings({ windowMs: 1000 })).toMatchObject({
      renewEveryMs: 166,
      callTimeoutMs: 33,
    });
    expect(settings({ windowMs: 86_400_000 }).callTimeoutMs).toBe(2000);
  });

  it.each<[string, LeaseOptions]>([
    ['lease.windowMs', { windowMs: 999 }],
    ['lease.windowMs', { windowMs: 86_400_001 }],
    ['lease.windowMs', { windowMs: Number.NaN }],
    ['lease.windowMs', { windowMs: 60_000, renewEveryMs: 50_000 }],
    ['lease.windowMs', { windowMs: 60_000, reserveMs: 40_000 }],
    ['lease.renewEveryMs', { renewEveryMs: 0 }],
    ['lease.callTimeoutMs', { callTimeoutMs: 2_501 }],
    ['lease.acquireTimeoutMs', { acquireTimeoutMs: 65_000 }],
    ['lease.possibleLoss', { possibleLoss: 'hope' as 'wait' }],
    ['lease.firstWorkerId', { firstWorkerId: 1024 }],
    ['lease.workerCount', { firstWorkerId: 1000, workerCount: 25 }],
    ['lease.workerCount', { workerCount: 0 }],
  ])('refuses %s of %o', (option, options) => {
    expect(() => keeperSettings(new BitLayout(), options)).toThrow(expect.objectContaining({ option }));
    expect(() => keeperSettings(new BitLayout(), options)).toThrow(InvalidOptionError);
  });

  it('wants a reserve of two ticks', () => {
    expect(() => settings({}, 10_000)).toThrow(/reserveMs is less than two ticks of 10000 ms/);
    expect(settings({ windowMs: 600_000 }, 10_000).reserveMs).toBe(100_000);
  });

  it('names the command that spares a new namespace the wait, and no setting for production', () => {
    const refused = expect.objectContaining({
      option: 'lease.acquireTimeoutMs',
      remedy: expect.stringContaining('npx nestjs-snowflake-cli init'),
    });
    expect(() => settings({ acquireTimeoutMs: 65_000 })).toThrow(refused);
    expect(() => settings({ acquireTimeoutMs: 65_000 })).not.toThrow(/ignore/);
  });

  it('lets a start be short where it does not have to wait for an unknown history', () => {
    expect(settings({ acquireTimeoutMs: 100, possibleLoss: 'ignore' }).acquireTimeoutMs).toBe(100);
  });

  it('puts the worker ID range into the fingerprint, and refuses a datacenter without a field', () => {
    const layout = new BitLayout();
    const all = keeperSettings(layout, {});
    expect(all.fingerprint).toBe(`v2 ${layout.fingerprint} workers=0+1024`);
    expect(keeperSettings(layout, { firstWorkerId: 512 }).fingerprint).toContain('workers=512+512');
    expect(() => keeperSettings(layout, {}, 'switch', 1)).toThrow(/datacenterId is out of bounds/);
  });

  it('keeps what a fencing token is made of out of holder names', () => {
    expect(sanitizedHolderName('web 1@eu:4711')).toBe('web_1_eu_4711');
    expect(sanitizedHolderName('x'.repeat(100))).toHaveLength(64);
  });
});

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
    const timer = Reflect.get(keeper, 'nextRenewal') as ScheduledTask;
    timer.cancel();
    await clock.advance(TIGHT.windowMs);
    expect(keeper.currentState()).toBe('degraded');
    await atOnce(keeper.stop());
  });
});

const TIMEOUT_MS = 100;
const CALL_ENDS_AFTER_MS = TIMEOUT_MS + GRACE_MS;

function callerOf(): { caller: StoreCaller; clock: VirtualClock; reconnects: () => number } {
  let reconnects = 0;
  const store = { description: 'a store', reconnect: () => reconnects++ } as unknown as LeaseStore;
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  return { caller: new StoreCaller(store, clock), clock, reconnects: () => reconnects };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('StoreCaller', () => {
  it('takes a connection for dead after two calls in a row without an answer', async () => {
    const { caller, clock, reconnects } = callerOf();
    for (let call = 0; call < 2; call++) {
      expect(reconnects()).toBe(0);
      const outcome = caller.call(never, TIMEOUT_MS).catch((error: unknown) => error);
      await clock.advance(CALL_ENDS_AFTER_MS);
      expect(await outcome).toBeInstanceOf(StoreUnavailableError);
    }
    expect(reconnects()).toBe(1);
  });

  it('passes a deadline on, and the reason of a store that gives up at it', async () => {
    const { caller, clock } = callerOf();
    const deadlines: CallDeadline[] = [];
    const outcome = caller
      .call(async (deadline) => {
        deadlines.push(deadline);
        await new Promise<void>((resolve) => clock.schedule(deadline.remainingMs(), resolve));
        throw new StoreUnavailableError('a store waited for a lock');
      }, TIMEOUT_MS)
      .catch((error: Error) => error.message);
    const [deadline] = deadlines;
    expect([deadline?.timeoutMs, deadline?.remainingMs()]).toEqual([TIMEOUT_MS, TIMEOUT_MS]);
    await clock.advance(TIMEOUT_MS - 1);
    expect(deadline?.remainingMs()).toBe(1);
    await clock.advance(1);
    expect(await outcome).toBe('a store waited for a lock');
    await clock.advance(1);
    expect(deadline?.remainingMs()).toBe(0);
  });

  it('lets a call wait for others until its longer bound, and bounds what it does afterwards', async () => {
    const { caller, clock, reconnects } = callerOf();
    let deadline: CallDeadline | undefined;
    const outcome = caller
      .call(
        (given) => {
          deadline = given;
          given.queue();
          return never();
        },
        TIMEOUT_MS,
        10 * TIMEOUT_MS,
      )
      .catch((error: unknown) => error);
    expect(deadline?.remainingMs()).toBe(10 * TIMEOUT_MS);
    await clock.advance(5 * TIMEOUT_MS);
    deadline?.begin?.();
    expect(deadline?.remainingMs()).toBe(TIMEOUT_MS);
    await clock.advance(CALL_ENDS_AFTER_MS);
    expect(await outcome).toBeInstanceOf(StoreUnavailableError);
    deadline?.queue?.();
    deadline?.begin?.();
    await clock.advance(20 * TIMEOUT_MS);
    expect(reconnects()).toBe(0);
  });

  it('gives a call that may not wait longer no more time', async () => {
    const { caller, clock } = callerOf();
    const deadlines: CallDeadline[] = [];
    const outcome = caller
      .call((deadline) => {
        deadlines.push(deadline);
        deadline.queue();
        return never();
      }, TIMEOUT_MS)
      .catch((error: unknown) => error);
    await clock.advance(TIMEOUT_MS / 2);
    deadlines[0]?.begin?.();
    expect(deadlines[0]?.remainingMs()).toBe(TIMEOUT_MS / 2);
    await clock.advance(CALL_ENDS_AFTER_MS);
    expect(await outcome).toBeInstanceOf(StoreUnavailableError);
  });

  it('gives no call more time when the clock steps back', async () => {
    const { caller, clock } = callerOf();
    let left = Number.NaN;
    const outcome = caller
      .call((deadline) => {
        clock.step(-60_000);
        left = deadline.remainingMs();
        return never();
      }, TIMEOUT_MS)
      .catch((error: unknown) => error);
    expect(left).toBe(TIMEOUT_MS);
    await clock.advance(CALL_ENDS_AFTER_MS);
    expect(await outcome).toBeInstanceOf(StoreUnavailableError);
  });

  it.each<[string, () => void, string]>([
    [
      'throws',
      () => {
        throw new Error('no socket');
      },
      ' It could not reconnect: no socket.',
    ],
    ['rejects', () => Promise.reject(new Error('no socket')), ''],
    ['hangs', () => new Promise(() => undefined), ''],
  ])('ends its calls in time though the store cannot reconnect: it %s', async (_, reconnect, more) => {
    const clock = new VirtualClock('2026-01-01T00:00:00Z');
    const caller = new StoreCaller({ description: 'a store', reconnect } as unknown as LeaseStore, clock);
    const said: string[] = [];
    for (let call = 0; call < 4; call++) {
      caller.call(never, TIMEOUT_MS).catch(({ message }: Error) => said.push(message));
      await clock.advance(CALL_ENDS_AFTER_MS);
    }
    const silent = 'a store did not answer within 100 ms.';
    expect(said).toEqual([silent, silent + more, silent, silent + more]);
  });

  it.each([
    [new Error('no socket'), StoreUnavailableError, /^a store failed: no socket/],
    [new StoreRejectedError('a store refuses'), StoreRejectedError, /refuses/],
  ])(
    'takes an error that a store throws before it returns a promise for its answer: %o',
    async (...given) => {
      const [thrown, type, message] = given;
      const { caller, clock, reconnects } = callerOf();
      const throws = (): Promise<never> => {
        throw thrown;
      };
      for (let call = 0; call < 2; call++) {
        const outcome = caller.call(throws, TIMEOUT_MS);
        await expect(outcome).rejects.toThrow(type);
        await expect(outcome).rejects.toThrow(message);
      }
      await clock.advance(2 * CALL_ENDS_AFTER_MS);
      expect(reconnects()).toBe(0);
    },
  );
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
