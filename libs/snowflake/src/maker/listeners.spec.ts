import { setImmediate as nextTurn } from 'node:timers/promises';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { StoppedError } from '../core/errors/issuing-errors.js';
import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import type { LeaseEvent, LeaseListener } from '../lease/lease-events.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import type { SnowflakeOptions } from './snowflake-options.js';
import { atOnce } from '../../../../test/support/at-once.js';

/** A store that can be out of reach, and takes a turn of the event loop for each call. */
class DistantStore implements LeaseStore {
  readonly description = 'distant store';
  readonly renewable = true;
  isAway = false;
  opened = 0;
  private readonly inner: LeaseStore;

  constructor(clock: VirtualClock) {
    this.inner = memoryLeaseStore({ clock });
  }

  open(): void {
    this.opened += 1;
  }
  lease: LeaseStore['lease'] = async (request) => {
    await nextTurn();
    if (this.isAway) throw new StoreUnavailableError('is away');
    return this.inner.lease(request);
  };
  release: LeaseStore['release'] = async (request) => {
    await nextTurn();
    return this.inner.release(request);
  };
  inspect = () => this.inner.inspect();
  close = () => this.inner.close();
}

function world(options: Pick<SnowflakeOptions, 'layout'> = {}) {
  const clock = new VirtualClock();
  const store = new DistantStore(clock);
  const maker = new SnowflakeIdMaker({ store, ...options }, { clock });
  return { clock, store, maker };
}

const MINUTE_MS = 60_000;

/** Lets time elapse, and the store answer meanwhile. */
async function elapse(clock: VirtualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await clock.advance(100);
    await nextTurn();
  }
}

describe('a listener', () => {
  it.each(['start', 'ready'] as const)(
    'begins no second start when a listener calls %s() on the way',
    async (method) => {
      const { store, maker } = world();
      const ids: string[] = [];
      const acquired: LeaseEvent[] = [];
      maker.subscribe((event) => {
        if (event.type === 'state' && event.to === 'acquiring') void maker[method]();
        if (event.type !== 'acquired') return;
        acquired.push(event);
        ids.push(...maker.nextIds(1000));
      });
      await atOnce(maker.start());
      await nextTurn();
      ids.push(...maker.nextIds(1000));
      expect([store.opened, acquired.length]).toEqual([1, 1]);
      expect(new Set(ids).size).toBe(ids.length);
      await atOnce(maker.stop());
    },
  );

  it('shows no used-up window to a listener that asks while the maker stops', async () => {
    const { maker } = world();
    await atOnce(maker.start());
    const states: string[] = [];
    maker.subscribe(() => states.push(maker.status().state));
    const stopped = maker.stop();
    for (let turn = 0; turn < 5; turn += 1) {
      states.push(maker.status().state);
      await nextTurn();
    }
    await atOnce(stopped);
    expect(new Set(states)).toEqual(new Set(['stopped']));
  });

  it('delivers each event once to a listener that subscribes again at each event', async () => {
    const { maker } = world();
    let told = 0;
    let seen = 0;
    maker.subscribe(() => (seen += 1));
    const again: LeaseListener = () => {
      told += 1;
      leave();
      if (told < 100) leave = maker.subscribe(again);
    };
    let leave = maker.subscribe(again);
    await atOnce(maker.start());
    await atOnce(maker.stop());
    expect(told).toBe(seen);
  });

  it('lets a listener subscribe twice, and leave once', async () => {
    const { maker } = world();
    let told = 0;
    const listener = (): void => void (told += 1);
    const leave = maker.subscribe(listener);
    maker.subscribe(listener);
    leave();
    await atOnce(maker.start());
    expect(told).toBeGreaterThan(0);
    await atOnce(maker.stop());
  });

  it('calls the other listeners although an async one fails', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { maker } = world();
    maker.subscribe(async () => {
      throw new Error('async listener');
    });
    await atOnce(maker.start());
    await atOnce(maker.stop());
    await nextTurn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('gets events in the same order as all others, whatever they ask meanwhile', async () => {
    const { clock, store, maker } = world();
    const [first, second]: [LeaseEvent[], LeaseEvent[]] = [[], []];
    maker.subscribe((event) => {
      first.push(event);
      maker.status();
    });
    maker.subscribe((event) => void second.push(event));
    await atOnce(maker.start());
    store.isAway = true;
    // The first call that fails is made when true time is over: a change of state that no listener has received yet.
    clock.freeze(2 * MINUTE_MS);
    await elapse(clock, MINUTE_MS);
    expect(second.map(({ type }) => type)).toEqual(expect.arrayContaining(['request-failed', 'state']));
    expect(second).toEqual(first);
    await atOnce(maker.stop());
  });

  it('refuses a listener that is no function', () => {
    const { maker } = world();
    expect(() => maker.subscribe(undefined as unknown as LeaseListener)).toThrow(InvalidOptionError);
  });
});

describe('a maker that was stopped', () => {
  it.each(['before it was started', 'after'])('refuses to start after a stop (%s)', async (when) => {
    const { store, maker } = world();
    if (when === 'after') await atOnce(maker.start());
    await atOnce(maker.stop());
    await expect(atOnce(maker.start())).rejects.toThrow(StoppedError);
    expect(store.opened).toBe(when === 'after' ? 1 : 0);
  });

  it('tells those at once who wait for an ID', async () => {
    const { clock, store, maker } = world({ layout: { sequenceBits: 1 } });
    await atOnce(maker.start());
    store.isAway = true;
    await elapse(clock, 2 * MINUTE_MS);
    while (maker.canIssue) maker.nextBigInt();
    const refused = expect(atOnce(maker.ready())).rejects.toThrow(StoppedError);
    await atOnce(maker.stop());
    await atOnce(refused);
  });
});

describe('a store', () => {
  it('serves one maker after the other, and not two at a time', async () => {
    const { clock, store, maker } = world();
    await atOnce(maker.start());
    const other = new SnowflakeIdMaker({ store }, { clock });
    await expect(atOnce(other.start())).rejects.toThrow(/^store is in use by another ID maker/);
    expect(maker.status().state).toBe('active');
    await atOnce(maker.stop());

    const next = new SnowflakeIdMaker({ store }, { clock });
    await atOnce(next.start());
    expect(next.nextId()).toMatch(/^\d+$/);
    await atOnce(next.stop());
  });

  it('gets back what a strict clock refuses', async () => {
    const clock = new VirtualClock();
    const store = memoryLeaseStore({ clock: { now: () => clock.now() + MINUTE_MS } });
    const lease = { strictClock: true };
    await expect(new SnowflakeIdMaker({ store, lease }, { clock }).start()).rejects.toThrow(/clock/);
    const { rows } = await store.inspect();
    expect(rows.map(({ fencingToken }) => fencingToken)).toEqual(['']);
  });
});
