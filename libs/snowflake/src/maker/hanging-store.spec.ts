import { AcquireTimeoutError } from '../core/errors/lease-errors.js';
import type { LeaseStore, StoreSettings } from '../lease/lease-store.js';
import { MemoryRegistry } from '../stores/memory/memory-registry.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

type Method = 'open' | 'lease' | 'release' | 'inspect' | 'reconnect' | 'close';

const SECOND_MS = 1000;
const ACQUIRE_TIMEOUT_MS = 5 * SECOND_MS;
/** Three waits of half a second. */
const STOP_WITHIN_MS = 1500;
/** The release has five seconds on a store that has answered the latest call. */
const LONGEST_STOP_MS = 6000;
const lease = { possibleLoss: 'ignore' as const, acquireTimeoutMs: ACQUIRE_TIMEOUT_MS };

/** A store each of whose methods can stop answering, and be brought back. */
class HangingStore implements LeaseStore {
  readonly description = 'custom store';
  readonly renewable = true;
  readonly calls: Method[] = [];
  readonly registry = new MemoryRegistry();
  settings: StoreSettings | undefined;
  private readonly inner: LeaseStore;
  private readonly waiting = new Set<() => void>();

  constructor(
    clock: VirtualClock,
    readonly hanging: Set<Method>,
  ) {
    this.inner = memoryLeaseStore({ clock, registry: this.registry });
  }

  open = (settings: StoreSettings): Promise<void> => {
    this.settings = settings;
    return this.carry('open', async () => undefined);
  };
  lease: LeaseStore['lease'] = (request) => this.carry('lease', () => this.inner.lease(request));
  release: LeaseStore['release'] = (request) => this.carry('release', () => this.inner.release(request));
  inspect = () => this.carry('inspect', () => this.inner.inspect());
  close = () => this.carry('close', () => this.inner.close());
  /** Async, as a custom store may have it. */
  reconnect = () => this.carry('reconnect', async () => undefined);

  /** Answers at last. */
  answer(): void {
    this.hanging.clear();
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }

  private async carry<Reply>(method: Method, work: () => Promise<Reply>): Promise<Reply> {
    this.calls.push(method);
    if (this.hanging.has(method)) await new Promise<void>((resolve) => this.waiting.add(resolve));
    return work();
  }
}

/** Watches the outcome of a promise without waiting for it. */
function watch(promise: Promise<void>): { outcome: unknown } {
  const watched: { outcome: unknown } = { outcome: 'pending' };
  promise.then(
    () => (watched.outcome = 'done'),
    (error: unknown) => (watched.outcome = error),
  );
  return watched;
}

function world(...hanging: Method[]) {
  const clock = new VirtualClock();
  const store = new HangingStore(clock, new Set(hanging));
  const maker = new SnowflakeIdMaker({ store, lease }, { clock });
  const warnings: string[] = [];
  maker.subscribe((event) => event.type === 'warning' && warnings.push(event.message));
  return { clock, store, maker, warnings };
}

async function started(...hanging: Method[]) {
  const ours = world();
  const start = ours.maker.start();
  await ours.clock.advance(0);
  await atOnce(start);
  for (const method of hanging) ours.store.hanging.add(method);
  return ours;
}

async function expectToStop(
  { clock, maker }: ReturnType<typeof world>,
  withinMs = STOP_WITHIN_MS,
): Promise<void> {
  const stop = watch(maker.stop());
  await clock.advance(withinMs);
  expect(stop.outcome).toBe('done');
  expect(maker.status().state).toBe('stopped');
}

describe('a store whose open hangs [promise: fail-closed]', () => {
  it('fails the start after acquireTimeoutMs, with the reason', async () => {
    const { clock, store, maker } = world('open');
    const start = watch(maker.start());
    await clock.advance(ACQUIRE_TIMEOUT_MS - 1);
    expect(start.outcome).toBe('pending');
    await clock.advance(1);
    expect(start.outcome).toBeInstanceOf(AcquireTimeoutError);
    expect(start.outcome).toMatchObject({
      code: 'SNOWFLAKE_ACQUIRE_TIMEOUT',
      retryable: true,
      timeoutMs: ACQUIRE_TIMEOUT_MS,
      message: expect.stringMatching(
        /\(5000 ms\).*custom store did not open.* the disk, the mount or the host/,
      ),
    });
    expect(maker.status().state).toBe('stopped');
    expect(store.calls).toEqual(['open']);
  });

  it('passes on what a hanging store says that it waits for', async () => {
    const { clock, store, maker, warnings } = world('open');
    const start = watch(maker.start());
    await clock.advance(SECOND_MS);
    store.settings?.warn?.('The mount does not answer.');
    await clock.advance(ACQUIRE_TIMEOUT_MS);
    expect(warnings[0]).toBe('The mount does not answer.');
    expect(start.outcome).toMatchObject({
      message: expect.stringMatching(/waits for\. .*The mount does not answer\./),
    });
  });

  it('closes a store that opens late, which leaves no lease behind and serves the next maker', async () => {
    const { clock, store, maker } = world('open');
    const start = watch(maker.start());
    await clock.advance(ACQUIRE_TIMEOUT_MS);
    expect(start.outcome).toBeInstanceOf(AcquireTimeoutError);
    store.answer();
    await clock.advance(10 * SECOND_MS);
    expect(store.calls).toEqual(['open', 'close']);
    expect([...store.registry.fields]).toEqual([]);

    const next = new SnowflakeIdMaker({ store, lease }, { clock });
    const nextStart = next.start();
    await clock.advance(0);
    await atOnce(nextStart);
    expect(next.nextId()).toMatch(/^\d+$/);
    await atOnce(next.stop());
  });

  it('leaves the rest of the time to the first lease when it opens in time', async () => {
    const { clock, store, maker } = world('open', 'lease');
    const start = watch(maker.start());
    await clock.advance(ACQUIRE_TIMEOUT_MS - SECOND_MS);
    store.answer();
    store.hanging.add('lease');
    await clock.advance(SECOND_MS - 1);
    expect(start.outcome).toBe('pending');
    // The call in flight gets as long as a stop waits for it.
    await clock.advance(STOP_WITHIN_MS);
    expect(start.outcome).toMatchObject({
      code: 'SNOWFLAKE_ACQUIRE_TIMEOUT',
      message: expect.stringContaining('store did not answer'),
    });
  });
});

describe('a store whose lease hangs', () => {
  it('fails the start after acquireTimeoutMs, though a call is in flight, and keeps nothing that it grants late', async () => {
    const { clock, store, maker } = world('lease');
    const start = watch(maker.start());
    // This is in the middle of the third call.
    await clock.advance(ACQUIRE_TIMEOUT_MS - 1);
    expect(start.outcome).toBe('pending');
    await clock.advance(1);
    store.answer();
    await clock.advance(0);
    expect(start.outcome).toMatchObject({
      code: 'SNOWFLAKE_ACQUIRE_TIMEOUT',
      message: expect.stringContaining('custom store did not answer within 2000 ms'),
    });
    expect(store.calls.slice(-2)).toEqual(['release', 'close']);
    expect(store.registry.fields.get('0')).toMatch(/^\d+ $/);
  });

  it('keeps neither a renewal nor a stop waiting', async () => {
    const ours = await started('lease');
    await ours.clock.advance(20 * SECOND_MS);
    expect(ours.maker.status().lastError?.message).toContain('did not answer within 2000 ms');
    await expectToStop(ours);
  });
});

describe('a store that does not answer at the stop [promise: fail-closed]', () => {
  it.each<[Method, number, string | undefined]>([
    ['release', LONGEST_STOP_MS, undefined],
    [
      'close',
      STOP_WITHIN_MS,
      'custom store did not close within 500 ms. It cannot be used again until it has closed.',
    ],
  ])('keeps no maker from stopping: %s', async (method, withinMs, warning) => {
    const ours = await started(method);
    await expectToStop(ours, withinMs);
    expect(ours.store.calls).toContain('close');
    expect(ours.warnings).toEqual(warning === undefined ? [] : [warning]);
  });

  it('gets five seconds for the release if it has answered the latest call: others may release before', async () => {
    const ours = await started('release');
    const stop = watch(ours.maker.stop());
    await ours.clock.advance(4 * SECOND_MS);
    ours.store.answer();
    await ours.clock.advance(0);
    expect(stop.outcome).toBe('done');
    expect(ours.store.registry.fields.get('0')).toMatch(/^\d+ $/);
  });

  it('gets half a second for the release if it has not answered the latest call', async () => {
    const ours = await started('lease', 'release');
    await ours.clock.advance(20 * SECOND_MS);
    expect(ours.maker.status().lastError).toBeDefined();
    await expectToStop(ours);
  });

  it('gets half a second for the release if the call in flight has no answer by then', async () => {
    const ours = await started('lease', 'release');
    void ours.maker.renew();
    await ours.clock.advance(0);
    await expectToStop(ours);
  });

  it('keeps a hanging store from the next maker until it has closed', async () => {
    const ours = await started('close');
    await expectToStop(ours);
    const { clock, store } = ours;
    await expect(new SnowflakeIdMaker({ store, lease }, { clock }).start()).rejects.toThrow(
      'is in use by another ID maker',
    );
    store.answer();
    await clock.advance(0);
    const next = new SnowflakeIdMaker({ store, lease }, { clock });
    const start = next.start();
    await clock.advance(0);
    await atOnce(start);
    await atOnce(next.stop());
  });

  it('stops although every method of the store hangs', async () => {
    await expectToStop(await started('lease', 'release', 'reconnect', 'inspect', 'close'), LONGEST_STOP_MS);
  });
});

describe('a store that cannot reconnect', () => {
  /** A silence long enough for two calls in a row, and what the maker says of it. */
  async function silence(reconnect: () => void): Promise<ReturnType<typeof world>> {
    const ours = await started('lease');
    ours.store.reconnect = reconnect as HangingStore['reconnect'];
    await ours.clock.advance(20 * SECOND_MS);
    return ours;
  }

  it.each<[string, () => void, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no socket');
      },
      /did not answer within 2000 ms\.( It could not reconnect: no socket\.)?$/,
    ],
    ['rejects', () => Promise.reject(new Error('no socket')), /did not answer within 2000 ms\.$/],
    ['hangs', () => new Promise(() => undefined), /did not answer within 2000 ms\.$/],
  ])('asks a store again, and uses it when it is back: it %s', async (_, reconnect, lastError) => {
    let reconnects = 0;
    const ours = await silence(() => {
      reconnects++;
      return reconnect();
    });
    expect(reconnects).toBeGreaterThan(0);
    expect(ours.maker.status().lastError?.message).toMatch(lastError);
    ours.store.answer();
    await ours.clock.advance(20 * SECOND_MS);
    expect(ours.maker.status()).toMatchObject({ state: 'active', lastError: undefined });
    await expectToStop(ours);
  });
});

describe('a maker', () => {
  it('stops without waiting for inspect, which is for people', async () => {
    const ours = await started('inspect');
    await ours.clock.advance(60 * SECOND_MS);
    await expectToStop(ours);
    expect(ours.store.calls).not.toContain('inspect');
  });
});

describe('a start with waitAtBoot: false on a store that hangs [promise: fail-closed]', () => {
  it.each<Method>(['open', 'lease'])(
    'is over after callTimeoutMs, and issues when %s answers',
    async (method) => {
      const clock = new VirtualClock();
      const store = new HangingStore(clock, new Set([method]));
      const maker = new SnowflakeIdMaker({ store, lease: { ...lease, waitAtBoot: false } }, { clock });
      const start = watch(maker.start());
      await clock.advance(SECOND_MS);
      expect(start.outcome).toBe('pending');
      // A call has some time more than its timeout.
      await clock.advance(2 * SECOND_MS);
      expect([start.outcome, maker.status().state, maker.canIssue]).toEqual(['done', 'acquiring', false]);
      // It never gives up.
      await clock.advance(10 * ACQUIRE_TIMEOUT_MS);
      expect(maker.status().state).toBe('acquiring');
      store.answer();
      await clock.advance(10 * SECOND_MS);
      expect(maker.canIssue).toBe(true);
      await atOnce(maker.stop());
    },
  );

  it('stops while the store opens, and closes it when it is open', async () => {
    const clock = new VirtualClock();
    const store = new HangingStore(clock, new Set(['open']));
    const maker = new SnowflakeIdMaker({ store, lease: { ...lease, waitAtBoot: false } }, { clock });
    const start = watch(maker.start());
    await clock.advance(3 * SECOND_MS);
    expect(start.outcome).toBe('done');
    await atOnce(maker.stop());
    store.answer();
    await clock.advance(0);
    expect(store.calls).toEqual(['open', 'close']);
  });
});
