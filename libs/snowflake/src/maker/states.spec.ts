import { LeaseExhaustedError } from '../core/errors/issuing-errors.js';
import { SnowflakeError } from '../core/errors/snowflake-error.js';
import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const lease = { possibleLoss: 'ignore' as const };
const READY_WITHIN_MS = 1000;

/** A maker whose store can be away, or be a master without its replicas. */
function world() {
  const clock = new VirtualClock();
  const inner = memoryLeaseStore({ clock });
  const trouble = { isAway: false, isAlone: false, throws: undefined as unknown };
  const store: LeaseStore = {
    description: inner.description,
    renewable: true,
    lease: async (request) => {
      if (trouble.throws !== undefined) throw trouble.throws;
      if (trouble.isAway) throw new StoreUnavailableError('is away');
      if (trouble.isAlone) return { outcome: 'alone', replicas: 0, storeNowMs: clock.now() };
      return inner.lease(request);
    },
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close: () => inner.close(),
  };
  // Few IDs, so that a window is used up soon.
  const maker = new SnowflakeIdMaker({ store, lease, layout: { sequenceBits: 1 } }, { clock });
  const useUp = (): void => {
    while (maker.canIssue) maker.nextBigInt();
  };
  return { clock, maker, trouble, useUp };
}

async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof SnowflakeError ? error.code : String(error)),
  );
}

describe('status().state [promise: fail-closed]', () => {
  it('goes from idle over acquiring to active, degraded and exhausted, back to active, and to stopped', async () => {
    const { clock, maker, trouble, useUp } = world();
    const seen = [maker.status().state];
    const note = (): void => void seen.push(maker.status().state);
    const started = maker.start();
    await clock.advance(0);
    trouble.isAway = true;
    await atOnce(started);
    note();
    await clock.advance(55_000);
    note();
    useUp();
    note();
    trouble.isAway = false;
    await clock.advance(10_000);
    note();
    await atOnce(maker.stop());
    note();
    expect(seen).toEqual(['idle', 'active', 'degraded', 'exhausted', 'active', 'stopped']);
  });

  it('enters the state acquiring while a start waits', async () => {
    const { clock, maker, trouble } = world();
    trouble.isAway = true;
    const started = outcomeOf(maker.start());
    await clock.advance(5000);
    expect(maker.status()).toMatchObject({ state: 'acquiring', workerId: undefined, leaseUntil: undefined });
    trouble.isAway = false;
    await clock.advance(5000);
    expect(await atOnce(started)).toBe('resolved');
    await atOnce(maker.stop());
  });
});

describe('ready() [promise: fail-closed]', () => {
  it('resolves at once where an ID can be issued', async () => {
    const { maker } = world();
    await atOnce(maker.start());
    // No time passes here: the clock is frozen.
    await expect(atOnce(maker.ready())).resolves.toBeUndefined();
    await atOnce(maker.stop());
  });

  it('rejects after a second while the store is away, and not earlier', async () => {
    const { clock, maker, trouble, useUp } = world();
    await atOnce(maker.start());
    trouble.isAway = true;
    await clock.advance(61_000);
    useUp();
    let outcome = 'pending';
    void outcomeOf(maker.ready()).then((settled) => (outcome = settled));
    await clock.advance(READY_WITHIN_MS - 1);
    expect(outcome).toBe('pending');
    await clock.advance(1);
    expect(outcome).toBe('SNOWFLAKE_LEASE_EXHAUSTED');
    expect(() => maker.nextId()).toThrow(LeaseExhaustedError);
    await atOnce(maker.stop());
  });

  it('resolves as soon as the store is back', async () => {
    const { clock, maker, trouble, useUp } = world();
    await atOnce(maker.start());
    trouble.isAway = true;
    await clock.advance(61_000);
    useUp();
    const ready = outcomeOf(maker.ready());
    trouble.isAway = false;
    await clock.advance(READY_WITHIN_MS - 1);
    expect(await atOnce(ready)).toBe('resolved');
    expect(maker.nextId()).toMatch(/^\d+$/);
    await atOnce(maker.stop());
  });
});

describe('a store', () => {
  it('treats a store whose master has too few replicas as unavailable, and issues on within the window', async () => {
    const { clock, maker, trouble } = world();
    await atOnce(maker.start());
    trouble.isAlone = true;
    await clock.advance(30_000);
    expect(maker.status()).toMatchObject({
      state: 'active',
      lastError: { code: 'SNOWFLAKE_STORE_UNAVAILABLE', message: expect.stringContaining('minReplicas') },
    });
    expect(maker.nextId()).toMatch(/^\d+$/);
    await atOnce(maker.stop());
  });

  it('asks a store again that throws an untyped error, and counts it as unavailable', async () => {
    const { clock, maker, trouble } = world();
    trouble.throws = new TypeError('database is locked');
    const started = outcomeOf(maker.start());
    await clock.advance(5000);
    expect(maker.status().lastError).toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
      message: expect.stringContaining('database is locked'),
    });
    trouble.throws = undefined;
    await clock.advance(5000);
    expect(await atOnce(started)).toBe('resolved');
    await atOnce(maker.stop());
  });
});

describe('nextBigInts()', () => {
  it('gives up to 10,000,000 at once, and refuses one more', async () => {
    const clock = new VirtualClock();
    const maker = new SnowflakeIdMaker({ store: memoryLeaseStore({ clock }), lease }, { clock });
    await atOnce(maker.start());
    const ids = maker.nextBigInts(10_000_000);
    let descents = 0;
    for (let at = 1; at < ids.length; at++) if (ids[at]! <= ids[at - 1]!) descents++;
    expect([ids.length, descents]).toEqual([10_000_000, 0]);
    expect(() => maker.nextBigInts(10_000_001)).toThrow(/count is out of bounds.*from 0 to 10000000/);
    expect(() => maker.nextIds(10_000_001)).toThrow(/count is out of bounds.*from 0 to 10000000/);
    await atOnce(maker.stop());
  });
});

describe('nowMs()', () => {
  it('reads the clock of the process, and that of the store once it was corrected', async () => {
    const clock = new VirtualClock();
    const aheadMs = 3_600_000;
    const serverClock = { now: () => clock.now() + aheadMs };
    const maker = new SnowflakeIdMaker({ store: memoryLeaseStore({ clock: serverClock }), lease }, { clock });
    expect(maker.nowMs()).toBe(clock.now());
    await atOnce(maker.start());
    expect(maker.nowMs()).toBe(serverClock.now());
    expect(maker.status().clockCorrectionMs).toBe(aheadMs);
    await atOnce(maker.stop());
  });
});
