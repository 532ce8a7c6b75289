import { jest } from '@jest/globals';
import { atOnce } from '../../../../test/support/at-once.js';
import type { LeaseHolder } from '../../../../test/support/leases/lease-holder.js';
import { LeaseWorld } from '../../../../test/support/leases/lease-world.js';
import { LeaseExhaustedError, StoppedError } from '../core/errors/issuing-errors.js';
import {
  AcquireTimeoutError,
  ClockSkewError,
  LayoutMismatchError,
  StoreCorruptError,
  StoreRejectedError,
  StoreUnavailableError,
  WorkerIdsExhaustedError,
} from '../core/errors/lease-errors.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import type { CallDeadline, LeaseReply, LeaseRequest } from './lease-store.js';

const WORKER_BITS = 3;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

describe('LeaseKeeper [promise: fail-closed, unique]', () => {
  let world: LeaseWorld;
  beforeEach(() => (world = new LeaseWorld({ layout: new BitLayout({ workerBits: WORKER_BITS }) })));

  /** Within the step in which this world moves. */
  function expectTrueTime(holder: LeaseHolder): void {
    expect(Math.abs(world.errorMs(holder))).toBeLessThanOrEqual(100);
  }

  it('acquires, renews every sixth of the window and issues true time all the while', async () => {
    const holder = await world.started();
    for (let minute = 0; minute < 10; minute++) {
      await world.advance(60_000, 1000);
      expectTrueTime(holder);
    }
    expect(holder.eventsOf('renewed')).toHaveLength(60);
    expect(holder.eventsOf('acquired')).toEqual([expect.objectContaining({ workerId: 0, cause: 'start' })]);
    expect(holder.eventsOf('state').map(({ to }) => to)).toEqual(['acquiring', 'active']);
  });

  it('renews at once a first lease whose window has begun long ago', async () => {
    const holder = world.holder();
    world.store.fault = 'reply lost';
    const start = holder.keeper.start();
    await world.advance(1000);
    world.store.fault = 'none';
    await world.advance(2000);
    await atOnce(start);
    // The grant of the first call, a second old.
    expect(world.store.requests.map(({ claim }) => claim === undefined)).toEqual([true, true, false]);
    expect(holder.eventsOf('renewed')).toHaveLength(1);
    expect(world.row(1)).toBeUndefined();
  });

  it('lists its attempts without an answer, at most 64: the first ones of an outage and the last ones', async () => {
    const holder = await world.started();
    const { length: answered } = world.store.requests;
    world.store.fault = 'unreachable';
    await world.advance(60_000, 500);
    const requests = world.store.requests.slice(answered);
    const own = requests.map(({ attempts = [] }) => attempts[0]);
    expect(own.length).toBeGreaterThan(100);
    expect(new Set(own).size).toBe(own.length);
    const { attempts } = requests.at(-1)!;
    expect(attempts).toEqual([...own.slice(-32).reverse(), ...own.slice(0, 32).reverse()]);
    expect(holder.eventsOf('lost')).toEqual([]);
  });

  it('repeats the nonce for as long as a start takes', async () => {
    const holder = world.holder();
    world.store.fault = 'silent';
    const start = holder.keeper.start();
    await world.advance(30_000, 500);
    world.store.fault = 'none';
    await world.advance(30_000, 500);
    await atOnce(start);
    expect(world.store.requests.length).toBeGreaterThan(3);
    const unanswered = world.store.requests.filter(({ claim }) => claim === undefined);
    expect(new Set(unanswered.map(({ nonce }) => nonce)).size).toBe(1);
  });

  it('releases with the last timestamp used, and stops issuing before', async () => {
    const holder = await world.started();
    const { timestampMs } = holder.issue();
    const stopped = holder.keeper.stop();
    expect(holder.keeper.stop()).toBe(stopped);
    await world.advance(100);
    await atOnce(stopped);
    expect(world.row(0)).toBe(`${timestampMs} `);
    expect(() => holder.issue()).toThrow(StoppedError);
    expect(holder.keeper.currentState()).toBe('stopped');
    await world.advance(120_000, 1000);
    expect(world.store.requests).toHaveLength(1);
  });

  it('issues nothing from the moment of a stop, although a renewal is in flight that will succeed', async () => {
    const holder = await world.started();
    let arrive = (): void => undefined;
    world.store.replyAfter = new Promise<void>((resolve) => (arrive = resolve));
    void holder.keeper.renew();
    const stopped = holder.keeper.stop();
    expect(() => holder.issue()).toThrow(StoppedError);
    expect(holder.keeper.currentState()).toBe('stopped');
    arrive();
    await world.advance(100);
    await atOnce(stopped);
    expect(() => holder.issue()).toThrow(StoppedError);
    expect(world.row(0)).toMatch(/^\d+ $/);
  });

  it('asks for no further lease when the time of a start ends between two attempts', async () => {
    await world.started({ lease: { workerCount: 1 } });
    const late = world.holder({ lease: { workerCount: 1, acquireTimeoutMs: 30_100 } });
    const refused = expect(late.keeper.start()).rejects.toThrow(WorkerIdsExhaustedError);
    // The attempts of this world are 750 ms apart.
    await world.advance(30_050);
    const attempts = world.store.requests.length;
    await world.advance(100);
    await atOnce(refused);
    expect(world.store.requests).toHaveLength(attempts);
  });

  it('stops within a bound while the store is silent, and lets the window end by itself', async () => {
    const holder = await world.started();
    world.store.fault = 'silent';
    const stopped = holder.keeper.stop();
    await world.advance(6000);
    await atOnce(stopped);
    expect(holder.eventsOf('release-failed').map(({ error }) => error.code)).toEqual([
      'SNOWFLAKE_STORE_UNAVAILABLE',
    ]);
  });

  it('releases a lease that arrives while it stops', async () => {
    const holder = world.holder();
    const refused = expect(holder.keeper.start()).rejects.toThrow(StoppedError);
    await world.untilRequested();
    const stopped = holder.keeper.stop();
    await atOnce(refused);
    await world.advance(1000);
    await atOnce(stopped);
    expect(() => holder.issue()).toThrow(StoppedError);
    expect(world.row(0)).toMatch(/^\d+ $/);
  });

  it('adopts no lease that arrives after its timeout', async () => {
    const holder = world.holder();
    world.store.fault = 'silent';
    const verdict = expect(holder.keeper.start()).rejects.toThrow(StoppedError);
    const stopped = holder.keeper.stop();
    await world.advance(3000);
    await atOnce(Promise.all([stopped, verdict]));
    expect(holder.eventsOf('acquired')).toEqual([]);
    expect(holder.keeper.currentState()).toBe('stopped');
  });

  it('adopts no lease that arrives after the stop has ended', async () => {
    const holder = world.holder();
    let arrive = (): void => undefined;
    const isOnItsWay = new Promise<void>((resolve) => (arrive = resolve));
    world.store.replyAfter = isOnItsWay;
    const verdict = expect(holder.keeper.start()).rejects.toThrow(StoppedError);
    await world.untilRequested();
    const stopped = holder.keeper.stop();
    await world.advance(1000);
    await atOnce(stopped);
    arrive();
    await world.advance(100);
    await atOnce(verdict);
    expect(world.row(0)).toBeDefined();
    expect(holder.eventsOf('acquired')).toEqual([]);
    expect(holder.keeper.currentState()).toBe('stopped');
  });

  it.each([
    ['while it issues', false],
    ['while it stops', true],
  ])('repeats no ID when the store grants the lease that it holds once more %s', async (_, stops) => {
    const holder = await world.started();
    const [grant] = holder.eventsOf('acquired');
    const fencingToken = world.row(0)?.split(' ')[1] ?? '';
    for (let made = 0; made < 10; made++) holder.issue();
    const { lastUsedMs } = holder.generator;
    holder.clock.step(-50);
    world.store.answer = () => ({
      outcome: 'new',
      workerId: 0,
      fencingToken,
      fromMs: grant?.fromMs ?? 0,
      untilMs: grant?.untilMs ?? 0,
      storeNowMs: world.store.clock.now(),
    });
    const renewed = holder.keeper.renew();
    if (stops) {
      const stopped = holder.keeper.stop();
      await world.advance(1000);
      await atOnce(stopped);
      expect(holder.eventsOf('released')).toMatchObject([{ workerId: 0, lastUsedMs }]);
    } else {
      await renewed;
      for (let made = 0; made < 10; made++) holder.issue();
    }
    world.expectAllDistinct();
    expect(holder.eventsOf('acquired')).toHaveLength(1);
  });

  it('announces at the next call of the store that time has changed the state, and not to those who read it', async () => {
    const holder = await world.started();
    const { length: before } = holder.events;
    holder.clock.freeze(55_000);
    expect([holder.keeper.currentState(), holder.keeper.currentState()]).toEqual(['degraded', 'degraded']);
    expect(holder.events.slice(before)).toEqual([]);
    world.store.fault = 'unreachable';
    await atOnce(holder.keeper.renew());
    expect(holder.events.slice(before)).toMatchObject([
      { type: 'request-failed' },
      { type: 'state', from: 'active', to: 'degraded' },
    ]);
  });

  describe('while the store is away', () => {
    it('continues in logical time, then fails closed, then recovers by itself', async () => {
      const holder = await world.started();
      holder.issue();
      world.store.fault = 'unreachable';
      await world.advance(52_000, 500);
      expect(holder.keeper.currentState()).toBe('degraded');
      expect(holder.issue().timestampMs).toBeLessThanOrEqual(START_MS + 50_200);
      const ids = new BigUint64Array(1_000_000);
      for (let batch = 0; batch < 50; batch++) {
        try {
          holder.generator.fillBigInts(ids);
          for (let at = 0; at < ids.length; at += 4096) holder.ids.push(ids[at]!);
        } catch (error) {
          expect(error).toBeInstanceOf(LeaseExhaustedError);
          break;
        }
      }
      await world.advance(1000);
      expect(holder.keeper.currentState()).toBe('exhausted');
      expect(() => holder.issue()).toThrow(LeaseExhaustedError);
      world.store.fault = 'none';
      await world.advance(1000);
      expect(holder.keeper.currentState()).toBe('active');
      expectTrueTime(holder);
      expect(holder.eventsOf('request-failed')).toHaveLength(1);
      expect(holder.eventsOf('recovered')).toHaveLength(1);
      world.expectAllDistinct();
    });

    it('retries within 125 to 250 ms and renews the connection after two silences', async () => {
      const holder = await world.started();
      world.store.fault = 'silent';
      const before = world.store.requests.length;
      await world.advance(20_000);
      const calls = world.store.requests.length - before;
      expect(calls).toBeGreaterThanOrEqual(4);
      expect(calls).toBeLessThanOrEqual(6);
      expect(world.store.reconnects).toBe(Math.floor(calls / 2));
      expect(holder.keeper.lastError).toBeInstanceOf(StoreUnavailableError);
    });

    it('asks a store that refuses this client more seldom', async () => {
      const holder = await world.started();
      world.store.fault = new StoreRejectedError('NOPERM');
      const before = world.store.requests.length;
      await world.advance(20_000);
      expect(world.store.requests.length - before).toBeLessThanOrEqual(9);
      expect(holder.keeper.lastError).toBeInstanceOf(StoreRejectedError);
    });

    it('tells those who wait as soon as it is back, or why not', async () => {
      const holder = await world.started({
        layout: new BitLayout({ workerBits: WORKER_BITS, sequenceBits: 1 }),
      });
      world.store.fault = 'unreachable';
      await world.advance(75_000, 500);
      expect(() => holder.generator.nextBigInts(100_000)).toThrow(LeaseExhaustedError);
      const tooEarly = holder.keeper.untilIssuing(1000);
      const verdict = expect(tooEarly).rejects.toThrow(LeaseExhaustedError);
      await world.advance(1100);
      await atOnce(verdict);
      const inTime = holder.keeper.untilIssuing(5000);
      world.store.fault = 'none';
      await world.advance(1000);
      await expect(atOnce(inTime)).resolves.toBeUndefined();
      expect(() => holder.issue()).not.toThrow();
    });
  });

  it('does not correct its clock by a call that has waited for others', async () => {
    const holder = world.holder();
    const lease = world.store.lease.bind(world.store);
    world.store.lease = async (request: LeaseRequest, deadline?: CallDeadline) => {
      deadline?.queue?.();
      await new Promise<void>((resolve) => holder.clock.schedule(20_000, resolve));
      deadline?.begin?.();
      return lease(request);
    };
    const start = holder.keeper.start();
    await world.advance(20_100);
    await atOnce(start);
    expect(holder.eventsOf('clock-corrected')).toEqual([]);
    expectTrueTime(holder);
  });

  it('never adopts a reply that came after its timeout, and gets the same grant again by its nonce', async () => {
    const holder = world.holder();
    world.store.fault = 'reply lost';
    const start = holder.keeper.start();
    await world.advance(2100);
    expect(world.row(0)).toBeDefined();
    expect(holder.generator.canIssue).toBe(false);
    world.store.fault = 'none';
    await world.advance(500);
    await atOnce(start);
    const [first, second, renewal] = world.store.requests;
    expect([first?.retry, second?.retry, renewal?.claim?.workerId]).toEqual([false, true, 0]);
    expect(second?.nonce).toBe(first?.nonce);
    expect(holder.issue().workerId).toBe(0);
    expect(world.row(1)).toBeUndefined();
  });

  it('goes over to another worker ID when its own was taken over in its absence', async () => {
    const sleeper = await world.started({ lease: { workerCount: 2 } });
    sleeper.issue();
    const other = await world.started({ lease: { workerCount: 2 } });
    // The sleeper is suspended: time elapses for the others only.
    for (let second = 0; second < 90; second++) {
      world.store.clock.freeze(1000);
      await other.clock.advance(1000);
    }
    const newcomer = await world.started({ lease: { workerCount: 2 } });
    expect(newcomer.issue().workerId).toBe(0);
    await atOnce(other.keeper.stop());
    sleeper.clock.freeze(90_000);
    expect(sleeper.issue()).toMatchObject({ workerId: 0 });
    await world.advance(1000);
    expect(sleeper.issue()).toMatchObject({ workerId: 1 });
    expect(sleeper.eventsOf('lost')).toHaveLength(1);
    expect(sleeper.eventsOf('acquired').at(-1)).toMatchObject({
      cause: 'lost',
      previousWorkerId: 0,
      workerId: 1,
    });
    world.expectAllDistinct();
  });

  it('carries its claim across a wiped registry', async () => {
    const holder = await world.started();
    world.store.registry.wipe();
    await world.advance(70_000, 500);
    expect(holder.issue().workerId).toBe(0);
    expectTrueTime(holder);
    expect(world.store.requests.at(-1)?.ignoreLoss).toBe(false);
    expect(holder.eventsOf('lost')).toEqual([]);
  });

  describe('at the start', () => {
    it('waits for an unknown history, says so once, and then starts', async () => {
      const holder = world.holder({ lease: { possibleLoss: 'wait' } });
      const start = holder.keeper.start();
      await world.advance(64_900, 100);
      expect(holder.keeper.currentState()).toBe('acquiring');
      expect(holder.eventsOf('waiting')).toEqual([{ type: 'waiting', reason: 'empty', waitMs: 65_000 }]);
      await world.advance(2000);
      await atOnce(start);
      expect(holder.issue().workerId).toBe(0);
    });

    it.each([
      ['development', true, 'active'],
      ['test', true, 'active'],
      ['development', false, 'acquiring'],
      ['production', true, 'acquiring'],
      [undefined, true, 'acquiring'],
    ] as const)(
      'skips that wait by default only in development and tests with a store on this machine: %s, %s',
      async (nodeEnv, isOnLoopback, state) => {
        Object.assign(world.store, { isOnLoopback });
        const holder = world.holder({ nodeEnv, lease: { possibleLoss: undefined } });
        const start = holder.keeper.start();
        await world.advance(1000);
        expect(holder.keeper.currentState()).toBe(state);
        await world.advance(66_000, 1000);
        await atOnce(start);
      },
    );

    it.each([
      ['production', 1],
      ['development', 0],
    ] as const)('warns if an option skips that wait in %s: %i', async (nodeEnv, warnings) => {
      const holder = await world.started({ nodeEnv, lease: { possibleLoss: 'ignore' } });
      expect(holder.eventsOf('warning')).toHaveLength(warnings);
    });

    it('waits for a worker ID, and fails after acquireTimeoutMs with the time of the next free one', async () => {
      const one = { lease: { workerCount: 1 } };
      const first = await world.started(one);
      const second = world.holder({ lease: { workerCount: 1, acquireTimeoutMs: 30_000 } });
      const refused = expect(second.keeper.start()).rejects.toMatchObject({
        name: WorkerIdsExhaustedError.name,
        workerCount: 1,
      });
      await world.advance(31_000, 500);
      await atOnce(refused);
      const third = world.holder(one);
      const start = third.keeper.start();
      await world.advance(5_000);
      const stopping = first.keeper.stop();
      await world.advance(2_000);
      await atOnce(Promise.all([start, stopping]));
      expect(third.issue().workerId).toBe(0);
    });

    it('fails after acquireTimeoutMs when the store is away, with the cause', async () => {
      world.store.fault = 'unreachable';
      const holder = world.holder({ lease: { acquireTimeoutMs: 3000 } });
      const refused = expect(holder.keeper.start()).rejects.toMatchObject({
        name: AcquireTimeoutError.name,
        message: expect.stringMatching(/within acquireTimeoutMs \(3000 ms\): connection refused/),
      });
      await world.advance(4000);
      await atOnce(refused);
    });

    it.each([new StoreRejectedError('WRONGPASS')])('fails at once on %o', async (fault) => {
      world.store.fault = fault;
      await expect(atOnce(world.holder().keeper.start())).rejects.toBe(fault);
    });

    it('refuses a namespace of another layout and names both', async () => {
      const first = await world.started();
      const other = world.holder({ layout: new BitLayout({ workerBits: 4 }) });
      const error = await other.keeper.start().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(LayoutMismatchError);
      expect(error).toMatchObject({
        ownLayout: expect.stringContaining('worker:4'),
        storedLayout: expect.stringContaining('worker:3'),
      });
      expect(first.generator.canIssue).toBe(true);
    });
  });

  describe('when its clock goes back', () => {
    it.each([
      [3, 0],
      [1_000, 1],
      [3_600_000, 1],
    ])('survives a step back by %i ms: %i switch, no gap, no duplicate', async (backMs, switches) => {
      const gone = await world.started();
      await atOnce(gone.keeper.stop());
      await world.advance(10_000);
      const holder = await world.started();
      expect(holder.issue().workerId).toBe(1);
      await world.advance(1000);
      holder.issue();
      holder.clock.step(-backMs);
      for (let made = 0; made < 1000; made++) expect(holder.issue().workerId).toBe(1);
      await world.advance(200, 1);
      for (let made = 0; made < 1000; made++) holder.issue();
      await world.advance(200, 1);
      expect(holder.eventsOf('acquired').filter(({ cause }) => cause === 'switch')).toHaveLength(switches);
      // The longest-offline worker ID, although there are fresh ones.
      expect(holder.issue().workerId).toBe(switches === 0 ? 1 : 0);
      if (switches === 1) expect(world.row(1)).toMatch(/^\d+ $/);
      expect(Math.abs(world.errorMs(holder))).toBeLessThanOrEqual(1500);
      world.expectAllDistinct();
    });

    it('takes one worker ID for each of several steps', async () => {
      const holder = await world.started();
      for (let step = 1; step <= 4; step++) {
        holder.issue();
        holder.clock.step(-500);
        holder.issue();
        holder.issue();
        await world.advance(3000);
      }
      expect(holder.eventsOf('acquired').filter(({ cause }) => cause === 'switch')).toHaveLength(4);
      world.expectAllDistinct();
    });

    it('switches when the store is back, if the store was away at the step', async () => {
      const holder = await world.started();
      holder.issue();
      world.store.fault = 'unreachable';
      holder.clock.step(-2000);
      holder.issue();
      await world.advance(500);
      expect(holder.keeper.lastError).toBeInstanceOf(StoreUnavailableError);
      world.store.fault = 'none';
      await world.advance(1000);
      expect(holder.eventsOf('acquired').map(({ cause }) => cause)).toEqual(['start', 'switch']);
      world.expectAllDistinct();
    });

    it('holds under the policy hold', async () => {
      const holder = await world.started({ onClockRollback: 'hold' });
      holder.issue();
      holder.clock.step(-2000);
      for (let made = 0; made < 1000; made++) holder.issue();
      await world.advance(30_000, 500);
      expect(holder.issue().workerId).toBe(0);
      expect(holder.eventsOf('clock-rollback')).toEqual([{ type: 'clock-rollback', backwardsMs: 2000 }]);
      world.expectAllDistinct();
    });

    it('tells listeners when the call has returned, so that they may generate IDs as well', async () => {
      const holder = await world.started();
      let within = true;
      let toldWithin: boolean | undefined;
      holder.keeper.subscribe(({ type }) => {
        if (type !== 'clock-rollback') return;
        toldWithin = within;
        holder.issue();
      });
      holder.issue();
      holder.clock.step(-2000);
      for (let made = 0; made < 5000; made++) holder.issue();
      within = false;
      await world.advance(30_000, 500);
      expect(toldWithin).toBe(false);
      world.expectAllDistinct();
    });

    it('keeps its worker ID when no other one is available', async () => {
      const holder = await world.started({ lease: { workerCount: 1 } });
      holder.issue();
      holder.clock.step(-2000);
      for (let made = 0; made < 1000; made++) holder.issue();
      await world.advance(20_000);
      expect(holder.issue().workerId).toBe(0);
      world.expectAllDistinct();
    });
  });

  describe("when its clock differs from the store's", () => {
    it('shows that in the registry with its next renewal, until its clock is right again', async () => {
      const holder = world.holder();
      holder.clock.step(-3_600_000);
      const start = holder.keeper.start();
      await world.advance(11_500);
      await atOnce(start);
      expect(world.row(0)).toMatch(/~1~[0-9a-f]+\+36000\d\d$/);
      holder.clock.step(3_600_000);
      await world.advance(25_000);
      expect(world.row(0)).toMatch(/~[34]~[0-9a-f]+$/);
      world.expectAllDistinct();
    });

    it.each([-3_600_000, 3_600_000])(
      'adds the difference to a clock that is off by %i ms',
      async (skewMs) => {
        const holder = world.holder();
        holder.clock.step(skewMs);
        const start = holder.keeper.start();
        await world.advance(100);
        await atOnce(start);
        expectTrueTime(holder);
        expect(holder.eventsOf('clock-corrected')).toHaveLength(1);
        // The time service mends the clock: the correction goes away again.
        holder.clock.step(-skewMs);
        await world.advance(25_000);
        expect(holder.generator.correctionMs).toBe(0);
        expectTrueTime(holder);
        world.expectAllDistinct();
      },
    );

    it.each(['1970-01-01T00:00:01Z', '2000-01-01T00:00:00Z', '2094-01-01T00:00:00Z'])(
      'starts with the true time on a host whose clock reads %s, which is outside the layout',
      async (time) => {
        const holder = world.holder();
        holder.clock.step(Date.parse(time) - START_MS);
        const start = holder.keeper.start();
        await world.advance(100);
        await atOnce(start);
        expectTrueTime(holder);
        await world.advance(25_000);
        holder.clock.step(START_MS - Date.parse(time));
        await world.advance(25_000);
        expectTrueTime(holder);
        world.expectAllDistinct();
      },
    );

    it.each([
      [
        'in the future of the store',
        new BitLayout({ workerBits: WORKER_BITS }, '2026-06-01'),
        /is in the future/,
      ],
      ['whose layout has ended', new BitLayout({ timestampBits: 22 }, '2025-01-01'), /is too early/],
    ])('refuses an epoch %s, and stores nothing', async (_, layout, message) => {
      const holder = world.holder({ layout });
      const refused = expect(holder.keeper.start()).rejects.toThrow(message);
      await world.advance(100);
      await atOnce(refused);
      expect(world.store.registry.fields.size).toBe(0);
      expect(world.store.requests).toEqual([]);
    });

    it('names the clock of its host if it may not read the time of the store', async () => {
      const holder = world.holder();
      holder.clock.step(-START_MS);
      world.store.inspect = () => Promise.reject(new StoreRejectedError('may not read'));
      const refused = expect(holder.keeper.start()).rejects.toThrow(
        /^epoch is in the future: this host's clock reads 1970-01-01T00:00:00.000Z/,
      );
      await world.advance(100);
      await atOnce(refused);
    });

    it('asks again for the time of a store that was unreachable', async () => {
      const holder = world.holder();
      holder.clock.step(-START_MS);
      const { store } = world;
      store.inspect = () => Promise.reject(new StoreUnavailableError('connection refused'));
      const start = holder.keeper.start();
      await world.advance(5000);
      expect(holder.keeper.currentState()).toBe('acquiring');
      Reflect.deleteProperty(store, 'inspect');
      await world.advance(1000);
      await atOnce(start);
      expectTrueTime(holder);
    });

    it('refuses to start under strictClock', async () => {
      const holder = world.holder({ lease: { strictClock: true } });
      holder.clock.step(-20_000);
      await expect(atOnce(holder.keeper.start())).rejects.toThrow(ClockSkewError);
    });

    it("goes over to another worker ID when the store's clock went back", async () => {
      const holder = await world.started();
      // Beyond the step: a store whose clock is behind its own first grant grants nothing.
      await world.advance(700_000, 1000);
      holder.issue();
      world.store.clock.step(-600_000);
      await world.advance(25_000);
      expectTrueTime(holder);
      expect(holder.issue().workerId).toBe(1);
      world.expectAllDistinct();
    });
  });

  describe('when a reply ends later than any window can', () => {
    const LATEST_MS = 60_000 + 5000;
    const oneWorkerId = { lease: { workerCount: 1, possibleLoss: 'ignore' } } as const;

    const grantEnding =
      (inMs: number, fromInMs = -1, workerId = 0) =>
      (): LeaseReply => {
        const storeNowMs = world.store.clock.now();
        const fromMs = storeNowMs + fromInMs;
        const fencingToken = `0000000000000000:other@${fromMs}`;
        return { outcome: 'new', workerId, fencingToken, fromMs, untilMs: storeNowMs + inMs, storeNowMs };
      };

    it.each([
      ['a millisecond later', LATEST_MS + 1, -1],
      ['next year', YEAR_MS, -1],
      ['at no time', Number.NaN, -1],
      ['before it begins', 60_000, 60_001],
    ])('refuses a grant and issues nothing: %s', async (_, inMs, fromInMs) => {
      const holder = world.holder();
      world.store.answer = grantEnding(inMs, fromInMs);
      const refused = expect(holder.keeper.start()).rejects.toThrow(StoreCorruptError);
      await world.advance(1000);
      await atOnce(refused);
      expect(() => holder.issue()).toThrow(StoppedError);
      expect(holder.generator.issued).toBe(0);
    });

    it.each([3, 5])(
      'refuses worker ID %d if only worker ID 4 may be leased, and issues nothing',
      async (workerId) => {
        const holder = world.holder({ lease: { firstWorkerId: 4, workerCount: 1 } });
        world.store.answer = grantEnding(60_000, -1, workerId);
        const refused = expect(holder.keeper.start()).rejects.toThrow(StoreCorruptError);
        await world.advance(1000);
        await atOnce(refused);
        expect(holder.generator.issued).toBe(0);
      },
    );

    it('believes a grant of the only worker ID that may be leased (control)', async () => {
      world.store.answer = grantEnding(60_000, -1, 4);
      const holder = await world.started({ lease: { firstWorkerId: 4, workerCount: 1 } });
      expect(holder.issue().workerId).toBe(4);
    });

    it('believes a grant of a server whose clock is behind by maxSkewMs', async () => {
      world.store.answer = grantEnding(LATEST_MS);
      const holder = await world.started();
      expect(holder.issue().workerId).toBe(0);
    });

    it('keeps to the window that it has, so that the next holder of the worker ID repeats no ID', async () => {
      const holder = await world.started(oneWorkerId);
      const endMs = holder.keeper.leaseUntilMs ?? 0;
      const lieMs = endMs + YEAR_MS;
      world.store.answer = ({ claim, nonce }) => {
        const storeNowMs = world.store.clock.now();
        if (!nonce.startsWith('0')) return undefined;
        if (claim) return { ...claim, outcome: 'kept', untilMs: lieMs, storeNowMs };
        return { outcome: 'full', nextFreeInMs: 1000, storeNowMs };
      };
      await world.advance(70_000, 500);
      expect(holder.keeper.lastError).toBeInstanceOf(StoreCorruptError);
      const heir = await world.started(oneWorkerId);
      expect(holder.keeper.leaseUntilMs).toBe(endMs);
      expect(holder.issue().timestampMs).toBeLessThanOrEqual(endMs);
      heir.issue();
      world.expectAllDistinct();

      // The control: a generator that believes such an end repeats the IDs of its heir.
      holder.generator.extend(lieMs, lieMs);
      const repeated = (): boolean =>
        new Set([...holder.ids, ...heir.ids]).size < holder.ids.length + heir.ids.length;
      for (let tries = 0; tries < 500 && !repeated(); tries++) {
        await world.advance(1, 1);
        [holder, heir].forEach((each) => each.issue());
      }
      expect(repeated()).toBe(true);
    });

    it('keeps a claim that ends years ahead of a clock that was set back', async () => {
      world.store.clock.step(YEAR_MS);
      const holder = await world.started();
      const untilMs = holder.keeper.leaseUntilMs;
      world.store.clock.step(-YEAR_MS);
      await world.advance(25_000);
      expect(holder.keeper.leaseUntilMs).toBe(untilMs);
      expect(holder.keeper.lastError).toBeUndefined();
    });

    it('asks for another grant than the one that was refused', async () => {
      const holder = await world.started();
      let refused: string | undefined;
      world.store.answer = ({ nonce }) => {
        refused ??= nonce;
        return nonce === refused ? grantEnding(YEAR_MS)() : undefined;
      };
      await world.advance(15_000);
      expect(holder.keeper.failedCalls.get('SNOWFLAKE_STORE_CORRUPT')).toBe(1);
      expect(holder.eventsOf('renewed')).toHaveLength(1);
    });
  });

  it('renews on although a listener throws', async () => {
    const holder = world.holder();
    holder.keeper.subscribe(() => {
      throw new Error('listener');
    });
    const start = holder.keeper.start();
    await world.advance(100);
    await atOnce(start);
    await world.advance(30_000, 500);
    expect(holder.eventsOf('renewed').length).toBeGreaterThan(1);
  });

  it('survives a clock that throws, and renews again when the clock works', async () => {
    const holder = await world.started();
    const now = jest.spyOn(holder.clock, 'now').mockImplementation(() => {
      throw new Error('no clock');
    });
    await expect(holder.keeper.renew()).resolves.toBeUndefined();
    expect(holder.eventsOf('request-failed').map(({ error }) => error.message)).toEqual([
      expect.stringContaining('no clock'),
    ]);
    now.mockRestore();
    await world.advance(1000);
    expect(holder.eventsOf('recovered')).toHaveLength(1);
    expect(holder.eventsOf('renewed')).toHaveLength(1);
    expect(holder.keeper.currentState()).toBe('active');
  });

  it('shows a lease, and no more than one call at a time', async () => {
    const holder = await world.started();
    world.store.fault = 'silent';
    const before = world.store.requests.length;
    void holder.keeper.renew();
    void holder.keeper.renew();
    await world.advance(100);
    expect(world.store.requests.length - before).toBe(1);
    expect(world.store.requests.at(-1)?.claim).toMatchObject({ workerId: 0 });
  });
});
