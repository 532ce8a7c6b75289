import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { MemoryRegistry } from '../stores/memory/memory-registry.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const MINUTE_MS = 60_000;
const lease = { possibleLoss: 'ignore' as const };
/** Few IDs, so that a window is used up soon. */
const layout = { sequenceBits: 1 };

/** A store that one maker has at a time, whose registry is laid out for few IDs. */
async function world() {
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
    const { clock, store, calls } = await world();
    const maker = new SnowflakeIdMaker({ store, lease }, { clock });
    await expect(atOnce(maker[method]())).rejects.toMatchObject({ code: 'SNOWFLAKE_LAYOUT_MISMATCH' });
    expect(maker.status().state).toBe('stopped');
    expect(calls).toEqual(['open', 'close']);

    const next = new SnowflakeIdMaker({ store, lease, layout }, { clock });
    await atOnce(next.start());
    expect(next.nextId()).toMatch(/^\d+$/);
    await atOnce(next.stop());
  });

  it('gives its lease back when a schedule cannot be started', async () => {
    const { clock, store, calls } = await world();
    const maker = new SnowflakeIdMaker({ store, lease, layout }, { clock });
    maker.setRenewalSchedule({
      start: () => {
        throw new Error('no timers left');
      },
      stop: () => undefined,
    });
    await expect(atOnce(maker[method]())).rejects.toThrow('no timers left');
    expect(maker.status().state).toBe('stopped');
    expect(calls).toEqual(['open', 'close']);
    const { rows } = await store.inspect();
    expect(rows.filter(({ fencingToken }) => fencingToken !== '')).toEqual([]);
  });
});

describe('a maker whose ready() fails because the store is away', () => {
  it('continues when the store is back', async () => {
    const { clock, store, calls, link } = await world();
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
