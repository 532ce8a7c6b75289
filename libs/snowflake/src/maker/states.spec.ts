import { endianness } from 'node:os';
import { atOnce } from '../../../../test/support/at-once.js';
import { LeaseExhaustedError, StoppedError } from '../core/errors/issuing-errors.js';
import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import { UnboundMakerError } from '../core/errors/setup-errors.js';
import { SnowflakeError } from '../core/errors/snowflake-error.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { fakeIdMaker } from '../adapters/testing/fake-id-maker.js';
import { LateIdMaker } from './late-id-maker.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';

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

/** Counts the IDs that are not greater than the one before, by their halves: ten million bigints take long. */
function descentsIn(ids: BigUint64Array): number {
  const words = new Uint32Array(ids.buffer);
  const [low, high] = endianness() === 'LE' ? [0, 1] : [1, 0];
  let descents = 0;
  for (let at = 2; at < words.length; at += 2) {
    const risen = words[at + high]! - words[at + high - 2]! || words[at + low]! - words[at + low - 2]!;
    if (risen <= 0) descents++;
  }
  return descents;
}

describe('nextBigInts()', () => {
  it('gives up to 10,000,000 at once, and refuses one more', async () => {
    const clock = new VirtualClock();
    const maker = new SnowflakeIdMaker({ store: memoryLeaseStore({ clock }), lease }, { clock });
    await atOnce(maker.start());
    const ids = maker.nextBigInts(10_000_000);
    expect([ids.length, descentsIn(ids)]).toEqual([10_000_000, 0]);
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

const SECOND_MS = 1000;

/** A store that is open only when the test lets it be, and that notes what it is called for. */
class SlowToOpen implements LeaseStore {
  readonly description = 'slow store';
  readonly renewable = true;
  readonly calls: string[] = [];
  letOpen: () => void = () => undefined;
  failToOpen: () => void = () => undefined;
  private readonly inner: LeaseStore;

  constructor(clock: VirtualClock) {
    this.inner = memoryLeaseStore({ clock });
  }

  async open(): Promise<void> {
    this.calls.push('open');
    await new Promise<void>((resolve, reject) => {
      this.letOpen = resolve;
      this.failToOpen = () => reject(new Error('no such folder'));
    });
    this.calls.push('opened');
  }
  async close(): Promise<void> {
    this.calls.push('close');
  }
  lease: LeaseStore['lease'] = (request) => this.inner.lease(request);
  release: LeaseStore['release'] = (request) => this.inner.release(request);
  inspect = () => this.inner.inspect();
}

/** A maker that has stopped while its store was being opened. */
async function stoppedTooEarly() {
  const clock = new VirtualClock();
  const store = new SlowToOpen(clock);
  const maker = new SnowflakeIdMaker({ store }, { clock });
  const warnings: string[] = [];
  maker.subscribe((event) => event.type === 'warning' && warnings.push(event.message));
  let startError: unknown;
  maker.start().catch((error: unknown) => (startError = error));
  await clock.advance(0);
  let hasStopped = false;
  void maker.stop().then(() => (hasStopped = true));
  await clock.advance(0);
  expect(hasStopped).toBe(true);
  return { clock, store, maker, startError, warnings };
}

describe('a maker that stops while its store is being opened', () => {
  it('stops without waiting for a store that opens, says why it did not start, and closes it when it is open', async () => {
    const { clock, store, maker, startError, warnings } = await stoppedTooEarly();
    expect(maker.status().state).toBe('stopped');
    expect(startError).toBeInstanceOf(StoppedError);
    expect(startError).toMatchObject({
      message: expect.stringContaining('slow store was still opening'),
    });
    expect(warnings).toEqual([expect.stringMatching(/^slow store was still opening/)]);
    expect(store.calls).toEqual(['open']);
    store.letOpen();
    await clock.advance(0);
    expect(store.calls).toEqual(['open', 'opened', 'close']);
  });

  it('closes a store that could not be opened, and warns of it', async () => {
    const { clock, store, warnings } = await stoppedTooEarly();
    store.failToOpen();
    await clock.advance(0);
    expect(store.calls).toEqual(['open', 'close']);
    expect(warnings.slice(1)).toEqual([
      'slow store failed to open after the ID maker had stopped: no such folder',
    ]);
  });

  it('keeps a store that is still opening from other makers', async () => {
    const { clock, store } = await stoppedTooEarly();
    await expect(new SnowflakeIdMaker({ store }, { clock }).start()).rejects.toThrow(
      /^store is in use by another ID maker/,
    );
    store.letOpen();
    await clock.advance(0);

    const next = new SnowflakeIdMaker({ store }, { clock });
    const started = next.start();
    await clock.advance(0);
    store.letOpen();
    await clock.advance(10 * SECOND_MS);
    await atOnce(started);
    expect(next.nextId()).toMatch(/^\d+$/);
    await atOnce(next.stop());
  });
});

describe('a maker that is declared with await using', () => {
  it('stops a maker at the end of its block, and releases its worker ID', async () => {
    const store = memoryLeaseStore();
    let used: SnowflakeIdMaker;
    {
      await using ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
      await atOnce(ids.start());
      ids.nextId();
      used = ids;
    }
    expect(used.status().state).toBe('stopped');
    expect((await store.inspect()).rows).toEqual([expect.objectContaining({ fencingToken: '' })]);
  });
});

describe('renew', () => {
  it('renews the lease at once, and resolves when the store has answered', async () => {
    const clock = new VirtualClock();
    const maker = new SnowflakeIdMaker({ store: memoryLeaseStore({ clock }) }, { clock });
    const seen: string[] = [];
    maker.subscribe(({ type }) => seen.push(type));
    await atOnce(maker.start());
    const until = maker.status().leaseUntil!;
    clock.freeze(600_000);
    expect(maker.status().state).toBe('degraded');
    await atOnce(maker.renew());
    expect(maker.status().state).toBe('active');
    expect(maker.status().leaseUntil!.getTime()).toBeGreaterThan(until.getTime());
    await atOnce(maker.stop());
    const { length } = seen;
    await atOnce(maker.renew());
    expect(seen).toHaveLength(length);
  });
});

describe('an ID maker that is bound late', () => {
  it('generates the IDs of the latest one, also by functions that were passed on before', () => {
    const ids = new LateIdMaker();
    const { nextId, nextBigInt } = ids;
    expect(nextId).toThrow(UnboundMakerError);
    ids.bind(fakeIdMaker({ start: 1001 }));
    expect([nextId(), nextBigInt()]).toEqual(['1001', 1002n]);
    ids.bind(fakeIdMaker({ start: 2001 }));
    expect(ids.nextId()).toBe('2001');
  });

  it.each([undefined, null, {}, { nextId: () => '1' }])('refuses to be bound to %o', (ids) => {
    expect(() => new LateIdMaker().bind(ids as never)).toThrow(expect.objectContaining({ option: 'ids' }));
  });
});
