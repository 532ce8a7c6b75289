import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ClaimReply, SegmentStore } from '../store/segment-store.js';
import { type ContractCase, declareContract } from 'nestjs-snowflake/internal/stores/port/declare-contract';
import type { TestFramework } from 'nestjs-snowflake/store';

/** Two stores on one set of tags, like those of two processes. */
export interface SegmentStoresUnderTest {
  /** A store without tags. */
  readonly store: SegmentStore;
  /** Another store on the same tags. */
  readonly other: SegmentStore;
  dispose(): Promise<void>;
}

type Case = ContractCase<SegmentStoresUnderTest>;
type Granted = Extract<ClaimReply, { outcome: 'granted' }>;

const TAG = 'order';

async function created(store: SegmentStore, first = 1): Promise<void> {
  const reply = await store.create({ tag: TAG, first, step: 1000 });
  equal(reply.outcome, 'created');
}

const claimOf = (token: string, count = 10, finished: readonly string[] = []) => ({
  tag: TAG,
  token,
  count,
  finished,
});

async function granted(store: SegmentStore, token: string, count = 10): Promise<Granted> {
  const reply = await store.claim(claimOf(token, count));
  if (reply.outcome !== 'granted') throw new Error(`expected a segment, got ${JSON.stringify(reply)}`);
  return reply;
}

const shown = ({ first, count }: Pick<Granted, 'first' | 'count'>) => [first, count];

const claiming: Record<string, Case> = {
  'grants consecutive segments': async ({ store, other }) => {
    await created(store);
    const segments = [await granted(store, 'a'), await granted(other, 'b', 5), await granted(store, 'c', 1)];
    deepEqual(segments.map(shown), [
      [1, 10],
      [11, 5],
      [16, 1],
    ]);
    equal(segments[0]?.step, 1000);
  },

  'grants the same segment again after a lost reply': async ({ store, other }) => {
    await created(store);
    const lost = await granted(store, 'a');
    await granted(other, 'b');
    deepEqual(await granted(store, 'a'), lost);
    deepEqual(await granted(other, 'a'), lost);
    deepEqual(shown(await granted(store, 'c')), [21, 10]);
  },

  'grants disjoint segments to calls at the same time': async ({ store, other }) => {
    await created(store);
    const calls = Array.from({ length: 30 }, (_, index) =>
      granted(index % 2 ? store : other, `t${index}`, 7),
    );
    const firsts = (await Promise.all(calls)).map(({ first }) => first).sort((a, b) => a - b);
    deepEqual(
      firsts,
      firsts.map((_, index) => 1 + 7 * index),
    );
  },

  'keeps tags apart': async ({ store }) => {
    await created(store);
    await store.create({ tag: 'Order', first: 500, step: 1 });
    await granted(store, 'a');
    const reply = await store.claim({ ...claimOf('b'), tag: 'Order' });
    deepEqual(reply, { outcome: 'granted', token: 'b', first: 500, count: 10, step: 1 });
  },

  'reports a tag that does not exist': async ({ store }) => {
    deepEqual(await store.claim(claimOf('a')), { outcome: 'unknown-tag' });
  },

  'never grants numbers above the largest exact integer': async ({ store }) => {
    await created(store, Number.MAX_SAFE_INTEGER - 5);
    deepEqual(shown(await granted(store, 'a')), [Number.MAX_SAFE_INTEGER - 5, 5]);
    deepEqual(await store.claim(claimOf('b')), { outcome: 'ended' });
  },
};

const returning: Record<string, Case> = {
  'grants a remainder before new numbers': async ({ store, other }) => {
    await created(store);
    await granted(store, 'a');
    await granted(store, 'b');
    deepEqual(await store.returnRemainder({ tag: TAG, token: 'a', first: 4, count: 7 }), {
      outcome: 'returned',
    });
    deepEqual(shown(await granted(other, 'c')), [4, 7]);
    deepEqual(shown(await granted(other, 'd')), [21, 10]);
  },

  'grants a long remainder in pieces, the lowest first': async ({ store, other }) => {
    await created(store);
    await granted(store, 'a', 100);
    await granted(store, 'b');
    await store.returnRemainder({ tag: TAG, token: 'b', first: 105, count: 6 });
    await store.returnRemainder({ tag: TAG, token: 'a', first: 41, count: 60 });
    const pieces = [];
    for (const token of ['c', 'd', 'e', 'f']) pieces.push(shown(await granted(other, token, 25)));
    deepEqual(pieces, [
      [41, 25],
      [66, 25],
      [91, 10],
      [105, 6],
    ]);
  },

  'accepts a remainder once, however often it is returned': async ({ store, other }) => {
    await created(store);
    await granted(store, 'a');
    const rest = { tag: TAG, token: 'a', first: 6, count: 5 };
    for (const from of [store, other]) deepEqual(await from.returnRemainder(rest), { outcome: 'returned' });
    deepEqual(shown(await granted(other, 'b', 2)), [6, 2]);
    deepEqual(await store.returnRemainder(rest), { outcome: 'returned' });
    deepEqual(shown(await granted(other, 'c')), [8, 3]);
    deepEqual(await store.returnRemainder(rest), { outcome: 'unknown' });
    deepEqual(shown(await granted(other, 'd')), [11, 10]);
  },

  'accepts remainders of several tags together, each once': async ({ store, other }) => {
    if (!store.returnRemainders) return;
    await created(store);
    await store.create({ tag: 'second', first: 1, step: 1000 });
    await granted(store, 'a');
    await store.claim({ tag: 'second', token: 'b', count: 10, finished: [] });
    const rests = [
      { tag: TAG, token: 'a', first: 6, count: 5 },
      { tag: 'second', token: 'b', first: 4, count: 7 },
      { tag: TAG, token: 'never granted', first: 1, count: 1 },
    ];
    const outcomes = ['returned', 'returned', 'unknown'].map((outcome) => ({
      status: 'fulfilled',
      value: { outcome },
    }));
    for (const from of [store, other]) deepEqual(await from.returnRemainders?.(rests), outcomes);
    deepEqual(shown(await granted(other, 'c')), [6, 5]);
    deepEqual(shown(await granted(other, 'd')), [11, 10]);
    const reply = await other.claim({ tag: 'second', token: 'e', count: 10, finished: [] });
    equal(reply.outcome === 'granted' && reply.first, 4);
  },

  'refuses a remainder that was not granted': async ({ store }) => {
    await created(store);
    await granted(store, 'a');
    for (const rest of [
      { token: 'x', first: 1, count: 10 },
      { token: 'a', first: 1, count: 11 },
      { token: 'a', first: 0, count: 11 },
      { token: 'a', first: 3, count: 2 },
    ]) {
      deepEqual(await store.returnRemainder({ tag: TAG, ...rest }), { outcome: 'unknown' });
    }
    deepEqual(shown(await granted(store, 'b')), [11, 10]);
  },

  'grants nothing again for the token of a remainder': async ({ store }) => {
    await created(store);
    await granted(store, 'a');
    await store.returnRemainder({ tag: TAG, token: 'a', first: 1, count: 10 });
    deepEqual(await store.claim(claimOf('a')), { outcome: 'spent' });
  },

  'deletes finished segments, and keeps the others': async ({ store, other }) => {
    await created(store);
    for (const token of ['a', 'b']) await granted(store, token);
    await store.returnRemainder({ tag: TAG, token: 'b', first: 13, count: 8 });
    await granted(store, 'c', 3);
    await store.claim(claimOf('d', 1, ['a']));
    const { lost, tags } = await other.inspect();
    equal(lost, undefined);
    deepEqual(tags, [
      {
        tag: TAG,
        next: 21,
        step: 1000,
        rests: [{ first: 17, count: 4 }],
        held: [
          { token: 'c', first: 13, count: 3 },
          { token: 'd', first: 16, count: 1 },
        ],
      },
    ]);
    await store.returnRemainder({ tag: TAG, token: 'c', first: 16, count: 0 });
    equal((await store.inspect()).tags[0]?.held.length, 1);
  },
};

const operating: Record<string, Case> = {
  'creates a tag once': async ({ store, other }) => {
    await created(store, 100);
    deepEqual(await other.create({ tag: TAG, first: 1, step: 1 }), { outcome: 'exists' });
    deepEqual(shown(await granted(store, 'a')), [100, 10]);
  },

  'never lowers a counter on resume, and deletes all segments': async ({ store }) => {
    await created(store);
    await granted(store, 'a');
    await store.returnRemainder({ tag: TAG, token: 'a', first: 1, count: 10 });
    deepEqual(await store.resume({}), { outcome: 'missing', tags: [TAG] });
    deepEqual(await store.resume({ [TAG]: 5 }), { outcome: 'resumed' });
    deepEqual(shown(await granted(store, 'b')), [11, 10]);
    deepEqual(await store.resume({ [TAG]: 999 }), { outcome: 'resumed' });
    const [tag] = (await store.inspect()).tags;
    deepEqual(await store.resume({ [TAG]: 999, lost: 41 }), { outcome: 'resumed' });
    const restored = await store.claim({ ...claimOf('c'), tag: 'lost' });
    ok(restored.outcome === 'granted' && restored.first === 42);
    ok(tag?.next === 1000 && tag.held.length === 0 && tag.rests.length === 0);
  },
};

/**
 * Declares the contract of a {@link SegmentStore} as tests, which every store must pass, whatever it keeps its data in.
 *
 * @param makeStores creates two stores on one new, empty set of tags; called once per case
 * @param framework `{ describe, it }` of the test framework
 * @throws InvalidOptionError
 */
export function segmentStoreContract(
  makeStores: () => Promise<SegmentStoresUnderTest>,
  framework: TestFramework,
): void {
  declareContract(
    { 'claiming segments': claiming, 'returning unused numbers': returning, 'operating a store': operating },
    makeStores,
    framework,
  );
}
