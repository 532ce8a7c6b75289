import { StoreRejectedError, StoreUnavailableError } from '../core/errors/lease-errors.js';
import type { LeaseEvent } from '../lease/lease-event.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const CALL_MS = 40;

/** A maker whose store takes 40 ms for each call, and can fail or step the clock. */
function world() {
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

async function started(): Promise<ReturnType<typeof world>> {
  const parts = world();
  const start = parts.maker.start();
  await parts.clock.advance(CALL_MS);
  await atOnce(start);
  return parts;
}

describe('status().failedCalls', () => {
  it('counts no failed call while every call succeeds', async () => {
    const { clock, maker, events } = await started();
    await clock.advance(30_000);
    expect(events.some(({ type }) => type === 'renewed')).toBe(true);
    expect(maker.status().failedCalls).toEqual({});
  });

  it('counts every failed call by its code, although an outage is one event', async () => {
    const { clock, maker, trouble, events } = await started();
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
    expect(events.filter(({ type }) => type === 'renewal-failed')).toHaveLength(1);
    expect(events).toContainEqual({ type: 'recovered', failures, outageMs: expect.any(Number) });
  });

  it('counts the failed calls of a start', async () => {
    const { clock, maker, trouble } = world();
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
    const { clock, events } = await started();
    await clock.advance(30_000);
    const durations = events.flatMap((event) => (event.type === 'renewed' ? [event.durationMs] : []));
    expect(new Set(durations)).toEqual(new Set([CALL_MS]));
  });

  it('says 0 if the clock stepped back during the call', async () => {
    const { clock, trouble, events } = await started();
    trouble.stepMs = -1000;
    await clock.advance(15_000);
    expect(events).toContainEqual(expect.objectContaining({ type: 'renewed', durationMs: 0 }));
  });
});
