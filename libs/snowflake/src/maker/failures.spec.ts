import { atOnce } from '../../../../test/support/at-once.js';
import { StoreRejectedError, StoreUnavailableError } from '../core/errors/lease-errors.js';
import type { LeaseEvent } from '../lease/lease-events.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { MemoryRegistry } from '../stores/memory/memory-registry.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';

const MINUTE_MS = 60_000;
const lease = { possibleLoss: 'ignore' as const };
/** Few IDs, so that a window is used up soon. */
const layout = { sequenceBits: 1 };

/** A store that one maker has at a time, whose registry is laid out for few IDs. */
async function fewIdsWorld() {
  const clock = new VirtualClock();
  const registry = new MemoryRegistry();
  const first = new SnowflakeIdMaker(
    { store: memoryLeaseStore({ registry, clock }), lease, layout },
    { clock },
  );
  await atOnce(first.start());
  await atOnce(first.stop());
  const inner = memoryLeaseStore({ registry, clock });
  const calls: string[] = [];
  const link = { isCut: false };
  const store: LeaseStore = {
    description: inner.description,
    renewable: true,
    open: () => void calls.push('open'),
    lease: async (request) => {
      if (link.isCut) throw new StoreUnavailableError('is away');
      return inner.lease(request);
    },
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close: async () => void calls.push('close'),
  };
  return { clock, store, calls, link };
}

describe.each(['start', 'ready'] as const)('a maker whose %s() fails', (method) => {
  it('closes its store, and leaves it to another maker, when the start fails', async () => {
    const { clock, store, calls } = await fewIdsWorld();
    const maker = new SnowflakeIdMaker({ store, lease }, { clock });
    await expect(atOnce(maker[method]())).rejects.toMatchObject({ code: 'SNOWFLAKE_LAYOUT_MISMATCH' });
    expect(maker.status().state).toBe('stopped');
    expect(calls).toEqual(['open', 'close']);

    const next = new SnowflakeIdMaker({ store, lease, layout }, { clock });
    await atOnce(next.start());
    expect(next.nextId()).toMatch(/^\d+$/);
    await atOnce(next.stop());
  });
});

describe('a maker whose ready() fails because the store is away', () => {
  it('continues when the store is back', async () => {
    const { clock, store, calls, link } = await fewIdsWorld();
    const maker = new SnowflakeIdMaker({ store, lease, layout }, { clock });
    await atOnce(maker.ready());
    link.isCut = true;
    await clock.advance(2 * MINUTE_MS);
    while (maker.canIssue) maker.nextBigInt();
    const refused = expect(atOnce(maker.ready())).rejects.toMatchObject({
      code: 'SNOWFLAKE_LEASE_EXHAUSTED',
    });
    await clock.advance(MINUTE_MS);
    await atOnce(refused);
    link.isCut = false;
    await clock.advance(MINUTE_MS);
    expect(maker.nextId()).toMatch(/^\d+$/);
    expect(calls).toEqual(['open']);
    await atOnce(maker.stop());
  });
});

const CALL_MS = 40;

/** A maker whose store takes 40 ms for each call, and can fail or step the clock. */
function slowWorld() {
  const clock = new VirtualClock();
  const inner = memoryLeaseStore({ clock });
  const trouble: { error?: Error; stepMs?: number } = {};
  const store: LeaseStore = {
    description: inner.description,
    renewable: true,
    lease: async (request) => {
      await new Promise<void>((resolve) => clock.schedule(CALL_MS, resolve));
      clock.step(trouble.stepMs ?? 0);
      if (trouble.error) throw trouble.error;
      return inner.lease(request);
    },
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close: () => inner.close(),
  };
  const maker = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } }, { clock });
  const events: LeaseEvent[] = [];
  maker.subscribe((event) => events.push(event));
  return { clock, maker, trouble, events };
}

async function startedSlowly(): Promise<ReturnType<typeof slowWorld>> {
  const parts = slowWorld();
  const start = parts.maker.start();
  await parts.clock.advance(CALL_MS);
  await atOnce(start);
  return parts;
}

describe('status().failedCalls', () => {
  it('counts no failed call while every call succeeds', async () => {
    const { clock, maker, events } = await startedSlowly();
    await clock.advance(30_000);
    expect(events.some(({ type }) => type === 'renewed')).toBe(true);
    expect(maker.status().failedCalls).toEqual({});
  });

  it('counts every failed call by its code, although an outage is one event', async () => {
    const { clock, maker, trouble, events } = await startedSlowly();
    trouble.error = new StoreUnavailableError('is away');
    await clock.advance(20_000);
    trouble.error = new StoreRejectedError('refuses');
    await clock.advance(10_000);
    delete trouble.error;
    await clock.advance(10_000);

    const { failedCalls } = maker.status();
    expect(Object.keys(failedCalls).sort()).toEqual([
      'SNOWFLAKE_STORE_REJECTED',
      'SNOWFLAKE_STORE_UNAVAILABLE',
    ]);
    const failures = Object.values(failedCalls).reduce((sum, count) => sum + count, 0);
    expect(failures).toBeGreaterThan(10);
    expect(events.filter(({ type }) => type === 'request-failed')).toHaveLength(1);
    expect(events).toContainEqual({ type: 'recovered', failures, outageMs: expect.any(Number) });
  });

  it('counts the failed calls of a start', async () => {
    const { clock, maker, trouble } = slowWorld();
    trouble.error = new StoreUnavailableError('is away');
    const start = maker.start();
    await clock.advance(CALL_MS);
    delete trouble.error;
    await clock.advance(1000);
    await atOnce(start);
    expect(maker.status().failedCalls).toEqual({ SNOWFLAKE_STORE_UNAVAILABLE: 1 });
  });
});

describe('the event of a renewal', () => {
  it('says how long the call took', async () => {
    const { clock, events } = await startedSlowly();
    await clock.advance(30_000);
    const durations = events.flatMap((event) => (event.type === 'renewed' ? [event.durationMs] : []));
    expect(new Set(durations)).toEqual(new Set([CALL_MS]));
  });

  it('says 0 if the clock stepped back during the call', async () => {
    const { clock, trouble, events } = await startedSlowly();
    trouble.stepMs = -1000;
    await clock.advance(15_000);
    expect(events).toContainEqual(expect.objectContaining({ type: 'renewed', durationMs: 0 }));
  });
});

/** A maker of a store that one maker has at a time, and what its listeners are told. */
function listenedWorld(close: () => Promise<void> = async () => undefined) {
  const clock = new VirtualClock();
  const inner = memoryLeaseStore({ clock });
  const store: LeaseStore = {
    description: 'test store',
    renewable: true,
    open: () => undefined,
    lease: (request) => inner.lease(request),
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close,
  };
  const maker = new SnowflakeIdMaker({ store, lease }, { clock });
  const warnings: string[] = [];
  let renewals = 0;
  maker.subscribe((event) => {
    if (event.type === 'warning') warnings.push(event.message);
    if (event.type === 'renewed') renewals += 1;
  });
  return { clock, store, maker, warnings, renewals: () => renewals };
}

async function expectStopped({ clock, store, maker }: ReturnType<typeof listenedWorld>): Promise<void> {
  expect(maker.status().state).toBe('stopped');
  expect(() => maker.nextId()).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STOPPED' }));
  const { rows } = await store.inspect();
  expect(rows.map(({ fencingToken }) => fencingToken)).toEqual(['']);
  const next = new SnowflakeIdMaker({ store, lease }, { clock });
  await atOnce(next.start());
  await atOnce(next.stop());
}

describe('a store that cannot be closed', () => {
  it.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(new Error('broken pipe'))],
    [
      'throws',
      () => {
        throw new Error('broken pipe');
      },
    ],
  ])('keeps no maker from stopping, is reported, and is free for the next: %s', async (_, close) => {
    const ours = listenedWorld(close);
    await atOnce(ours.maker.start());
    await atOnce(ours.maker.stop());
    await expectStopped(ours);
    expect(ours.warnings).toEqual(['test store could not be closed: broken pipe']);
  });

  it('shows why a start failed, although another part fails as well', async () => {
    const { clock, store, maker } = listenedWorld(() => Promise.reject(new Error('broken pipe')));
    await atOnce(maker.start());
    await atOnce(maker.stop());
    const other = new SnowflakeIdMaker(
      {
        store: { ...store, lease: () => Promise.reject(new TypeError('no lease')) },
        lease: { ...lease, acquireTimeoutMs: 5000 },
      },
      { clock },
    );
    const failed = expect(other.start()).rejects.toThrow(/no lease/);
    await clock.advance(10_000);
    await failed;
  });
});
