import { StoreUnavailableError } from '../../../snowflake/src/core/errors/lease-errors.js';
import {
  clock,
  meanwhile,
  segmentsOn,
  started,
  stopped,
  traffic,
  UnreliableStore,
} from '../../test/segments-kit.js';
import { memorySegmentStore } from '../memory/memory-segment-store.js';
import type { ClaimReply, SegmentStore } from '../store/segment-store.js';

describe('a segment source [promise: segments]', () => {
  it('issues dense numbers as a number, a string and a bigint', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    const source = segments.source('order');
    expect(source.next()).toBe(1);
    expect(source.nextString()).toBe('2');
    expect(source.nextBigInt()).toBe(3n);
    expect(source.nextMany(4)).toEqual([4, 5, 6, 7]);
    expect(source.nextId()).toBe('8');
    expect(source.status()).toMatchObject({ tag: 'order', state: 'ready', left: 42, issued: 8 });
    await stopped(segments);
  });

  it('shows no outage of ten minutes, at a rate that it has learnt', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store));
    expect(await traffic(segments, 100, 300)).toBe(0);
    store.fault = 'request lost';
    expect(await traffic(segments, 100, 600)).toBe(0);
    expect(segments.source('order').status().lastError).toMatchObject({ retryable: true });
    store.fault = 'none';
    expect(await traffic(segments, 100, 10)).toBe(0);
    expect(segments.source('order').status().lastError).toBeUndefined();
    await stopped(segments);
  });

  it('fails closed when nothing is left, and goes on by itself', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store, { minStep: 10, outageMinutes: 1 }));
    const source = segments.source('order');
    store.fault = 'request lost';
    source.nextMany(source.status().left);
    expect(() => source.next()).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_SEGMENT_EXHAUSTED', retryable: true, tag: 'order' }),
    );
    expect(source.status().state).toBe('exhausted');
    const ready = source.ready();
    store.fault = 'none';
    await clock.advance(5000);
    await ready;
    expect(source.next()).toBe(11);
    await stopped(segments);
  });

  it('asks a store that fails once a second, however many calls find nothing', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store, { minStep: 10 }));
    store.fault = 'request lost';
    await traffic(segments, 100, 10);
    const before = store.claims;
    expect(await traffic(segments, 20, 60)).toBe(1200);
    expect(store.claims - before).toBeLessThanOrEqual(61);
    await stopped(segments);
  });

  it('bounds the wait for numbers', async () => {
    const store = new UnreliableStore(clock);
    const segments = segmentsOn(store, { readyTimeoutMs: 1000 });
    store.fault = 'request lost';
    const outcome = segments
      .source('order')
      .ready()
      .catch((error: unknown) => error);
    await clock.advance(1000);
    expect(await outcome).toMatchObject({ code: 'SNOWFLAKE_SEGMENT_EXHAUSTED' });
    await stopped(segments);
  });

  it('bounds the wait of one caller who waits for a shorter time', async () => {
    const store = new UnreliableStore(clock);
    const segments = segmentsOn(store, { readyTimeoutMs: 1000 });
    store.fault = 'request lost';
    const source = segments.source('order');
    const codes: string[] = [];
    const note = (error: { code: string }) => void codes.push(error.code);
    const waits = [source.ready(1, 10).catch(note), source.ready().catch(note)];
    await clock.advance(10);
    await waits[0];
    expect(codes).toEqual(['SNOWFLAKE_SEGMENT_EXHAUSTED']);
    await expect(source.ready(1, -1)).rejects.toMatchObject({ option: 'timeoutMs' });
    await stopped(segments);
    await waits[1];
  });

  it('finds the sources that exist, and creates none for that', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    expect(segments.find('order')).toBe(segments.source('order'));
    expect(segments.find('invoice')).toBeUndefined();
    expect(segments.tags).toEqual(['order']);
    await stopped(segments);
  });

  it('claims as many numbers as somebody waits for', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    const source = segments.source('order');
    expect(() => source.nextMany(50_000)).toThrow(expect.objectContaining({ wanted: 50_000, left: 50 }));
    const ready = source.ready(50_000);
    await clock.advance(1000);
    await ready;
    expect(source.nextMany(50_000)).toHaveLength(50_000);
    await stopped(segments);
  });

  it('claims as many numbers as a refused call has asked for', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    const source = segments.source('order');
    expect(() => source.nextMany(5000)).toThrow(expect.objectContaining({ wanted: 5000, left: 50 }));
    await clock.advance(1000);
    expect(source.nextMany(5000)).toHaveLength(5000);
    await stopped(segments);
  });

  it('reserves the numbers of each of many callers that wait', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    const source = segments.source('order');
    const numbers = Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        await source.ready(1 + (index % 3));
        return source.nextMany(1 + (index % 3));
      }),
    );
    await clock.advance(1000);
    const all = (await numbers).flat();
    expect(all).toHaveLength(new Set(all).size);
    expect(all).toHaveLength(1999);
    await stopped(segments);
  });

  it('gives reserved numbers that their caller does not take to the next one', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store));
    const source = segments.source('order');
    store.fault = 'request lost';
    await source.ready(30);
    const second = source.ready(30, 1000);
    await clock.advance(10);
    await second;
    expect(source.nextMany(30)).toHaveLength(30);
    await stopped(segments);
  });

  it('loses few numbers in a crash of a process that has issued few, and takes the step of the table under Leaf', async () => {
    const store = memorySegmentStore();
    const crashing = await started(segmentsOn(store));
    for (const wanted of [1, 2, 3]) {
      expect(crashing.source('order').next()).toBe(wanted);
      await clock.advance(100);
    }
    await clock.advance(60_000);
    const next = await started(segmentsOn(store));
    expect(next.source('order').next()).toBeLessThanOrEqual(101);
    const leaf = await started(segmentsOn(store, { tags: [{ tag: 'leaf', step: 700 }], step: 'leaf' }));
    expect(leaf.source('leaf').status().left).toBe(700);
    await Promise.all([stopped(crashing), stopped(next), stopped(leaf)]);
  });

  it('serves a tag that starts with 100,000 calls a second after a few claims', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store));
    store.delayMs = 3;
    const source = segments.source('order');
    let starved = 0;
    for (let ms = 0; ms < 2000; ms++) {
      for (let call = 0; call < 100; call++) {
        try {
          source.next();
        } catch {
          starved += 1;
        }
      }
      await clock.advance(1);
    }
    expect(starved).toBeLessThan(600);
    store.delayMs = 0;
    await stopped(segments);
  });

  it('never holds more than maxHeld, so a crash loses no more', async () => {
    const segments = await started(segmentsOn(memorySegmentStore(), { minStep: 100, maxHeld: 1000 }));
    const source = segments.source('order');
    await expect(source.ready(1001)).rejects.toMatchObject({ option: 'count' });
    await expect(source.ready(-1)).rejects.toMatchObject({ option: 'count' });
    const ready = source.ready(1000);
    await clock.advance(1000);
    await ready;
    let most = 0;
    for (let call = 0; call < 2000; call++) {
      most = Math.max(most, source.status().left);
      source.next();
      await clock.advance(1);
    }
    expect(most).toBe(1000);
    expect(() => segmentsOn(memorySegmentStore(), { step: 501, minStep: 1, maxHeld: 1000 })).toThrow(
      expect.objectContaining({ option: 'step' }),
    );
    await stopped(segments);
  });

  it('returns its unused numbers to a store that answers slowly', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store, { stopTimeoutMs: 1000 }));
    const events: string[] = [];
    segments.subscribe(({ type }) => events.push(type));
    store.delayMs = 100;
    await stopped(segments);
    expect(events).toContain('returned');
  });

  it('stops in time if the store hangs', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store, { stopTimeoutMs: 1000 }));
    store.delayMs = 3_600_000;
    let isStopped = false;
    const stop = segments.stop().then(() => (isStopped = true));
    await clock.advance(1100);
    expect(isStopped).toBe(true);
    await stop;
  });

  it('looks for nothing while it issues nothing, and learns its rate again when it goes on', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    const source = segments.source('order');
    expect(await traffic(segments, 100, 60)).toBe(0);
    await clock.advance(3_600_000);
    expect(source.status().perSecond).toBe(0);
    const { scheduled } = clock;
    await clock.advance(3_600_000);
    expect(clock.scheduled).toBe(scheduled);
    expect(await traffic(segments, 100, 300)).toBe(0);
    expect(source.status().perSecond).toBeGreaterThan(90);
    expect(source.status().left).toBeGreaterThan(100 * 600);
    await stopped(segments);
  });

  it('stops at once, and then issues nothing', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    const source = segments.source('order');
    const stop = segments.stop();
    expect(() => source.next()).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STOPPED' }));
    await expect(source.ready()).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
    expect(() => segments.source('other')).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STOPPED' }));
    await clock.advance(1000);
    await stop;
    expect(source.status()).toMatchObject({ state: 'stopped', left: 0 });
  });
});

describe('the tags of an app [promise: segments]', () => {
  it('starts a tag behind the numbers that are in use', async () => {
    const startAfter = countedReturn('4711');
    const store = memorySegmentStore();
    const tags = [
      { tag: 'order', startAfter },
      { tag: 'empty', startAfter: async () => null },
    ];
    const segments = await started(segmentsOn(store, { tags }));
    expect(segments.source('order').next()).toBe(4712);
    expect(segments.source('empty').next()).toBe(1);
    expect(startAfter.calls).toBe(1);
    const second = await started(segmentsOn(store, { tags }));
    expect(second.source('order').next()).toBe(4762);
    expect(startAfter.calls).toBe(1);
    await Promise.all([stopped(segments), stopped(second)]);
  });

  it('waits for the highest number no longer than for numbers', async () => {
    const tags = [{ tag: 'order', startAfter: () => new Promise<number>(() => undefined) }];
    const segments = segmentsOn(memorySegmentStore(), { tags, readyTimeoutMs: 1000, stopTimeoutMs: 1000 });
    const start = segments.start().catch((error: unknown) => error);
    await clock.advance(3000);
    expect(await start).toMatchObject({
      code: 'SNOWFLAKE_SEGMENT_EXHAUSTED',
      cause: { message: expect.stringContaining('startAfter of the tag "order"') },
    });
  });

  it('keeps a store open that others of the process use', async () => {
    const store = memorySegmentStore();
    const [one, two] = [await started(segmentsOn(store)), await started(segmentsOn(store))];
    await stopped(one);
    const ready = two.source('order').ready(5000);
    await clock.advance(1000);
    await ready;
    await stopped(two);
    await expect(store.inspect()).rejects.toThrow(/is closed/);
  });

  it.each(['has started', 'has opened nothing'])(
    'opens the store for each question of an operator after the stop of an app that %s, and closes it again',
    async (what) => {
      let isOpen = false;
      const inner = memorySegmentStore();
      const store: SegmentStore = {
        ...bound(inner),
        inspect: () =>
          isOpen ? inner.inspect() : Promise.reject(new StoreUnavailableError('It is closed.')),
        open: () => void (isOpen = true),
        close: async () => void (isOpen = false),
      };
      const segments = segmentsOn(store);
      if (what === 'has started') await started(segments);
      await stopped(segments);
      const asked = Promise.all([segments.inspect(), segments.resume({ order: 50 })]);
      await clock.advance(100);
      await asked;
      const refused = expect(segments.resume({})).rejects.toMatchObject({ option: 'highest' });
      await clock.advance(100);
      await refused;
      expect(isOpen).toBe(false);
    },
  );

  it('forgets a source that the app has stopped, and makes another one with the numbers that it has returned', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store));
    const first = await meanwhile(segments.create('tenant:9'));
    expect(first.next()).toBe(1);
    store.delayMs = 50;
    const stop = first.stop();
    expect(segments.tags).toEqual(['order']);
    expect(() => first.next()).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STOPPED' }));
    await clock.advance(1000);
    await stop;
    const creation = segments.create('tenant:9');
    await clock.advance(1000);
    expect((await creation).next()).toBe(2);
    await stopped(segments);
  });

  it('closes the store only when a source that the app has stopped has returned its numbers', async () => {
    const inner = memorySegmentStore();
    const store = new UnreliableStore(clock, inner);
    let isClosed = false;
    store.close = async () => void (isClosed = true);
    const segments = await started(segmentsOn(store));
    store.delayMs = 1000;
    const stop = segments.source('order').stop();
    const all = segments.stop();
    await clock.advance(900);
    expect(isClosed).toBe(false);
    await clock.advance(10_000);
    await Promise.all([stop, all]);
    expect(isClosed).toBe(true);
    expect((await inner.inspect()).tags.map(({ tag, held }) => [tag, held])).toEqual([['order', []]]);
  });

  it.each(['request lost', 'reply lost'] as const)(
    'takes no longer than readyTimeoutMs for a start that fails, with the fault "%s"',
    async (fault) => {
      const store = new UnreliableStore(clock);
      store.fault = fault;
      const segments = segmentsOn(store, { readyTimeoutMs: 1500, stopTimeoutMs: 5000 });
      let outcome: unknown;
      const start = segments.start().catch((error: unknown) => (outcome = error));
      await clock.advance(1600);
      expect(outcome).toMatchObject({ code: 'SNOWFLAKE_SEGMENT_EXHAUSTED' });
      await start;
    },
  );

  it('returns the rests of many tags in a few transactions', async () => {
    const sizes: number[] = [];
    const counted: SegmentStore = {
      ...bound(memorySegmentStore()),
      returnRemainders: async (rests) => {
        sizes.push(rests.length);
        return rests.map(() => ({ status: 'fulfilled', value: { outcome: 'returned' } }));
      },
    };
    const tags = Array.from({ length: 250 }, (_, index) => `tenant:${index}`);
    const segments = await started(segmentsOn(counted, { tags }));
    const returned: string[] = [];
    segments.subscribe(({ type, tag }) => type === 'returned' && returned.push(tag));
    await stopped(segments);
    expect(sizes).toEqual([100, 100, 50]);
    expect(returned.toSorted()).toEqual(tags.toSorted());
  });

  it.each<ClaimReply>([
    { outcome: 'unknown-tag' },
    { outcome: 'lost', reason: 'history' },
    { outcome: 'stride', stored: 'stride 2, remainder 0', own: 'stride 1, remainder 0' },
  ])('reports each segment that is used up once, and again after the reply %j', async (reply) => {
    const reported: (readonly string[])[] = [];
    const store = memorySegmentStore();
    let isForgotten = false;
    const forgetful: SegmentStore = {
      ...bound(store),
      claim: async (claim, deadline) => {
        reported.push(claim.finished);
        if (isForgotten || claim.finished.length === 0) return store.claim(claim, deadline);
        isForgotten = true;
        return reply;
      },
    };
    const segments = await started(segmentsOn(forgetful, { minStep: 10 }));
    const source = segments.source('order');
    while (reported.flat().length < 8) {
      source.nextMany(source.status().left);
      await clock.advance(1000);
    }
    const [first, again, ...others] = reported.filter(({ length }) => length > 0);
    expect(again).toEqual(first);
    const once = [...first!, ...others.flat()];
    expect(once).toHaveLength(new Set(once).size);
    await stopped(segments);
  });

  it('creates a tag while the app runs', async () => {
    const segments = await started(segmentsOn(memorySegmentStore()));
    const creation = segments.create({ tag: 'tenant:7', startAfter: 99n });
    await clock.advance(100);
    expect((await creation).next()).toBe(100);
    expect(segments.tags).toEqual(['order', 'tenant:7']);
    await stopped(segments);
  });

  it('resolves the creation of a tag only when numbers are at hand', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store));
    store.delayMs = 50;
    const creation = segments.create('tenant:8').then((source) => source.status().left);
    await clock.advance(1000);
    expect(await creation).toBe(50);
    await stopped(segments);
  });

  it('returns every number when one of the tags cannot start', async () => {
    const inner = memorySegmentStore();
    const store = { ...bound(inner), close: () => Promise.resolve() };
    await stopped(await started(segmentsOn(store)));
    const segments = segmentsOn(store, { tags: ['order', { tag: 'broken', startAfter: 'many' }] });
    const start = segments.start();
    start.catch(() => undefined);
    await clock.advance(10_000);
    await expect(start).rejects.toMatchObject({ option: 'startAfter' });
    expect((await store.inspect()).tags.map(({ tag, held }) => [tag, held])).toEqual([['order', []]]);
  });

  it('refuses a tag that does not exist unless it may be created', async () => {
    const segments = segmentsOn(memorySegmentStore(), { createTags: false });
    await expect(started(segments)).rejects.toMatchObject({ code: 'SNOWFLAKE_UNKNOWN_TAG', tag: 'order' });
  });

  it('refuses a highest number that is none', async () => {
    const segments = segmentsOn(memorySegmentStore(), { tags: [{ tag: 'order', startAfter: 'many' }] });
    await expect(started(segments)).rejects.toMatchObject({ option: 'startAfter' });
  });
});

describe('a refusal of the store', () => {
  it('refuses those who wait until the operator resumes', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store));
    store.isRevoked = true;
    const source = segments.source('order');
    await expect(meanwhile(source.ready(2000))).rejects.toMatchObject({
      code: 'SNOWFLAKE_HISTORY_CHANGED',
      reason: 'history',
    });
    await expect(meanwhile(segments.resume({}))).rejects.toMatchObject({ option: 'highest', value: 'order' });
    await meanwhile(segments.resume({ order: '100000' }));
    store.isRevoked = false;
    const ready = source.ready(2000);
    await clock.advance(2000);
    await ready;
    expect(source.nextMany(51)[50]).toBe(100_001);
    await stopped(segments);
  });
});

describe('what Leaf and CosId do wrong [promise: segments]', () => {
  it('fails no request because a claim takes more than 10 ms (Leaf)', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store));
    expect(await traffic(segments, 500, 30)).toBe(0);
    store.delayMs = 1000;
    expect(await traffic(segments, 500, 600)).toBe(0);
    await stopped(segments);
  });

  it('loses no rest at a restart (both)', async () => {
    const store = memorySegmentStore();
    const numbers: number[] = [];
    for (let restart = 0; restart < 20; restart++) {
      const keepOpen = { ...bound(store), close: () => Promise.resolve() };
      const segments = await started(segmentsOn(keepOpen, { minStep: 100 }));
      numbers.push(...segments.source('order').nextMany(7));
      await stopped(segments);
    }
    expect(numbers).toEqual(Array.from({ length: 140 }, (_, index) => index + 1));
  });

  it('grants nothing twice when a reply is lost, and loses nothing (CosId)', async () => {
    const store = new UnreliableStore(clock);
    const segments = await started(segmentsOn(store, { minStep: 10 }));
    const source = segments.source('order');
    store.fault = 'reply lost';
    const numbers = source.nextMany(10);
    await clock.advance(3000);
    store.fault = 'none';
    const ready = source.ready(30);
    await clock.advance(3000);
    await ready;
    numbers.push(...source.nextMany(30));
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    await stopped(segments);
  });
});

function bound(store: SegmentStore): SegmentStore {
  return {
    description: store.description,
    stride: store.stride,
    claim: (...given) => store.claim(...given),
    returnRemainder: (...given) => store.returnRemainder(...given),
    create: (...given) => store.create(...given),
    inspect: () => store.inspect(),
    resume: (...given) => store.resume(...given),
    close: () => store.close(),
  };
}

function countedReturn(result: string): (() => string) & { calls: number } {
  const counted = Object.assign(
    () => {
      counted.calls += 1;
      return result;
    },
    { calls: 0 },
  );
  return counted;
}
