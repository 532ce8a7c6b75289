import { deepEqual, equal, ok } from 'node:assert/strict';
import type { LeaseRequest } from '../../lease/lease-store.js';
import { type ContractCase, declareContract } from './declare-contract.js';
import { playRandomHolders } from './random-holders.js';
import {
  expectOutcome,
  FAR_DEADLINE,
  LONG_WINDOW_MS,
  MAX_SKEW_MS,
  renewalOf,
  requestOf,
  SHORT_WINDOW_MS,
  type StoreUnderTest,
  type TestFramework,
} from './store-under-test.js';

/** Ends every window of {@link SHORT_WINDOW_MS} and the clock skew after it. */
const UNTIL_SHORT_WINDOWS_END_MS = SHORT_WINDOW_MS + MAX_SKEW_MS + 10;
const RANDOM_SEED = 20_240_101;
const RANDOM_STEPS = 120;

const short = { windowMs: SHORT_WINDOW_MS };

const acquiring: Record<string, ContractCase> = {
  'grants fresh worker IDs first, in ascending order': async ({ store }) => {
    const grants = [];
    for (const holder of [1, 2, 3]) grants.push(await expectOutcome(store, requestOf(holder), 'new'));
    deepEqual(
      grants.map(({ workerId }) => workerId),
      [0, 1, 2],
    );
    for (const { fromMs, untilMs, storeNowMs } of grants) {
      ok(fromMs < storeNowMs, 'a window begins in the past, so that issuing can start at once');
      equal(untilMs, storeNowMs + LONG_WINDOW_MS);
    }
  },

  'begins at the first worker ID of the range': async ({ store }) => {
    const grant = await expectOutcome(store, requestOf(1, { firstWorkerId: 40, workerCount: 2 }), 'new');
    equal(grant.workerId, 40);
  },

  'grants the worker ID that has been offline longest, and only timestamps above its last window': async ({
    store,
    letPass,
  }) => {
    for (const holder of [1, 2, 3]) await expectOutcome(store, requestOf(holder, short), 'new');
    await letPass(UNTIL_SHORT_WINDOWS_END_MS);
    const last = await expectOutcome(store, requestOf(4, short), 'new');
    equal(last.workerId, 0);
    await letPass(UNTIL_SHORT_WINDOWS_END_MS);
    equal((await expectOutcome(store, requestOf(5), 'new')).workerId, 1);
    equal((await expectOutcome(store, requestOf(6), 'new')).workerId, 2);
    const next = await expectOutcome(store, requestOf(7), 'new');
    deepEqual([next.workerId, next.fromMs], [0, last.untilMs]);
  },

  'prefers a used worker ID to a fresh one if the request asks for it': async ({ store, letPass }) => {
    const preferLongestOffline = true;
    const fresh = await expectOutcome(store, requestOf(1, { ...short, preferLongestOffline }), 'new');
    equal(fresh.workerId, 0);
    await letPass(UNTIL_SHORT_WINDOWS_END_MS);
    const used = await expectOutcome(store, requestOf(2, { preferLongestOffline }), 'new');
    deepEqual([used.workerId, used.fromMs], [0, fresh.untilMs]);
    equal((await expectOutcome(store, requestOf(3, { preferLongestOffline }), 'new')).workerId, 1);
  },

  'returns when the first window ends if every worker ID is held': async ({ store, letPass }) => {
    const first = await expectOutcome(store, requestOf(1), 'new');
    await letPass(2);
    for (const holder of [2, 3]) await expectOutcome(store, requestOf(holder), 'new');
    const full = await expectOutcome(store, requestOf(4), 'full');
    equal(full.nextFreeInMs, first.untilMs - full.storeNowMs);
  },

  'grants at once to a caller that asserts that nothing was lost, and after that to every caller': async ({
    store,
  }) => {
    // An empty store may make its first caller wait.
    await store.lease(requestOf(1, { assumeNew: false }));
    const grant = await expectOutcome(store, requestOf(2, { assumeNew: false, ignoreLoss: true }), 'new');
    ok(grant.fromMs < grant.storeNowMs, 'a window begins in the past, so that issuing can start at once');
    await expectOutcome(store, requestOf(3, { assumeNew: false }), 'new');
  },

  'returns the same grant again after a lost reply': async ({ store }) => {
    const lost = await expectOutcome(store, requestOf(1), 'new');
    await expectOutcome(store, requestOf(2), 'new');
    const again = await expectOutcome(store, requestOf(1, { retry: true }), 'new');
    deepEqual({ ...again, storeNowMs: 0 }, { ...lost, storeNowMs: 0 });
    equal((await expectOutcome(store, requestOf(3), 'new')).workerId, 2);
  },

  'refuses another layout and names the stored one': async ({ store }) => {
    await expectOutcome(store, requestOf(1), 'new');
    const refused = await expectOutcome(store, requestOf(2, { layout: 'another layout' }), 'layout');
    equal(refused.storedLayout, 'contract layout');
    equal((await expectOutcome(store, requestOf(3), 'new')).workerId, 1);
  },
};

const holding: Record<string, ContractCase> = {
  'extends a lease for its holder': async ({ store, letPass }) => {
    const grant = await expectOutcome(store, requestOf(1), 'new');
    await letPass(2);
    const kept = await expectOutcome(store, renewalOf(grant, 2), 'kept');
    equal(kept.untilMs, kept.storeNowMs + LONG_WINDOW_MS);
    ok(kept.untilMs > grant.untilMs, 'the window moved on');
  },

  'never shortens a lease': async ({ store }) => {
    const grant = await expectOutcome(store, requestOf(1), 'new');
    equal((await expectOutcome(store, renewalOf(grant, 2, short), 'kept')).untilMs, grant.untilMs);
  },

  'refuses a holder whose worker ID was taken over': async ({ store, letPass }) => {
    const only = { workerCount: 1 };
    const paused = await expectOutcome(store, requestOf(1, { ...only, ...short }), 'new');
    await letPass(UNTIL_SHORT_WINDOWS_END_MS);
    await expectOutcome(store, requestOf(2, only), 'new');
    await expectOutcome(store, renewalOf(paused, 3, only), 'full');
  },

  'grants a new lease to a holder that renews after the end of its window': async ({ store, letPass }) => {
    const only = { workerCount: 1 };
    const paused = await expectOutcome(store, requestOf(1, { ...only, ...short }), 'new');
    await letPass(UNTIL_SHORT_WINDOWS_END_MS);
    const grant = await expectOutcome(store, renewalOf(paused, 2, only), 'new');
    deepEqual([grant.workerId, grant.fromMs], [0, paused.untilMs]);
    ok(grant.fencingToken !== paused.fencingToken, 'a new grant has a new fencing token');
  },
};

/** A process whose memory exists twice: each copy has the lease, and shows what it knew at the moment of the copy. */
const copied: Record<string, ContractCase> = {
  'changes the fencing token with every renewal': async ({ store }) => {
    const grant = await expectOutcome(store, requestOf(1), 'new');
    const first = await expectOutcome(store, renewalOf(grant, 2), 'kept');
    const second = await expectOutcome(store, renewalOf({ ...grant, ...first }, 3), 'kept');
    equal(new Set([grant, first, second].map(({ fencingToken }) => fencingToken)).size, 3);
    equal((await store.inspect()).rows[0]?.fencingToken, second.fencingToken);
  },

  'refuses the second of two copies of a holder, whichever it is, and keeps the lease of the first': async ({
    store,
  }) => {
    const both = await expectOutcome(store, requestOf(1), 'new');
    const kept = await expectOutcome(store, renewalOf(both, 2), 'kept');
    await expectOutcome(store, renewalOf(both, 3), 'copied');
    equal((await store.inspect()).rows[0]?.fencingToken, kept.fencingToken);
    const later = await expectOutcome(store, renewalOf({ ...both, ...kept }, 4), 'kept');
    await expectOutcome(store, renewalOf({ ...both, ...kept }, 5), 'copied');
    await expectOutcome(store, renewalOf({ ...both, ...later }, 6), 'kept');
  },

  'keeps the lease of a holder whose last replies were lost': async ({ store }) => {
    const grant = await expectOutcome(store, requestOf(1), 'new');
    const withAttempts = (...attempts: string[]) => {
      const { workerId, fencingToken, untilMs } = grant;
      return requestOf(2, { claim: { workerId, fencingToken, untilMs }, attempts });
    };
    await expectOutcome(store, withAttempts('a1'), 'kept');
    await expectOutcome(store, withAttempts('a2', 'a1'), 'kept');
    const kept = await expectOutcome(store, withAttempts('a4', 'a3', 'a2', 'a1'), 'kept');
    // The copy made the same attempts before the memory was copied, and another one after it.
    await expectOutcome(store, withAttempts('b4', 'a3', 'a2', 'a1'), 'copied');
    await expectOutcome(store, renewalOf({ ...grant, ...kept }, 3), 'kept');
  },

  'answers a repeated request as it did the first time': async ({ store }) => {
    const grant = await expectOutcome(store, requestOf(1), 'new');
    const first = await expectOutcome(store, renewalOf(grant, 2), 'kept');
    const repeated = await expectOutcome(store, renewalOf(grant, 2), 'kept');
    equal(repeated.fencingToken, first.fencingToken);
    await expectOutcome(store, renewalOf({ ...grant, ...first }, 3), 'kept');
  },

  'releases nothing for a copy after the other one has renewed': async ({ store }) => {
    const both = await expectOutcome(store, requestOf(1), 'new');
    const kept = await expectOutcome(store, renewalOf(both, 2), 'kept');
    const { workerId, fencingToken, untilMs: lastUsedMs } = both;
    deepEqual(await store.release({ workerId, fencingToken, lastUsedMs }), { outcome: 'gone' });
    await expectOutcome(store, renewalOf({ ...both, ...kept }, 3), 'kept');
  },

  'grants another worker ID to a copy that repeats a request after the other one got the grant': async ({
    store,
  }) => {
    const lost = await expectOutcome(store, retryOf('a1'), 'new');
    const again = await expectOutcome(store, retryOf('a2', 'a1'), 'new');
    deepEqual([again.workerId, again.fromMs, again.untilMs], [lost.workerId, lost.fromMs, lost.untilMs]);
    const copys = await expectOutcome(store, retryOf('b2', 'a1'), 'new');
    equal(copys.workerId, 1);
    await expectOutcome(store, renewalOf(lost, 2), 'copied');
    // The reply to the second attempt was lost as well.
    const third = await expectOutcome(store, retryOf('a3', 'a2', 'a1'), 'new');
    equal(third.workerId, lost.workerId);
    await expectOutcome(store, renewalOf(third, 3), 'kept');
    await expectOutcome(store, renewalOf(copys, 4), 'kept');
  },

  'grants another worker ID to a copy that repeats its first request after the other one has renewed':
    async ({ store }) => {
      const both = await expectOutcome(store, requestOf(1), 'new');
      await expectOutcome(store, renewalOf(both, 2), 'kept');
      equal((await expectOutcome(store, requestOf(1, { retry: true }), 'new')).workerId, 1);
    },
};

/** Returns a request of holder 1 with these attempts, the present one first. */
function retryOf(...attempts: string[]): LeaseRequest {
  return requestOf(1, { attempts, retry: attempts.length > 1 });
}

const releasing: Record<string, ContractCase> = {
  'grants a released worker ID again, above the last used timestamp': async ({ store, letPass }) => {
    const [, second] = [
      await expectOutcome(store, requestOf(1), 'new'),
      await expectOutcome(store, requestOf(2), 'new'),
      await expectOutcome(store, requestOf(3), 'new'),
    ];
    const lastUsedMs = second.storeNowMs + 1;
    const { workerId, fencingToken } = second;
    deepEqual(await store.release({ workerId, fencingToken, lastUsedMs }), { outcome: 'released' });
    await letPass(5);
    const next = await expectOutcome(store, requestOf(4), 'new');
    deepEqual([next.workerId, next.fromMs], [1, lastUsedMs]);
    deepEqual(await store.release({ workerId, fencingToken, lastUsedMs }), { outcome: 'gone' });
    await expectOutcome(store, renewalOf(second, 5), 'full');
  },

  'never grants timestamps again from before the grant': async ({ store, letPass }) => {
    const only = { workerCount: 1 };
    await expectOutcome(store, requestOf(1, { ...only, ...short }), 'new');
    await letPass(UNTIL_SHORT_WINDOWS_END_MS);
    const { workerId, fencingToken, fromMs } = await expectOutcome(store, requestOf(2, only), 'new');
    await store.release({ workerId, fencingToken, lastUsedMs: 0 });
    await letPass(2);
    equal((await expectOutcome(store, requestOf(3, only), 'new')).fromMs, fromMs);
  },

  'shows the whole registry without changing it': async ({ store }) => {
    const { workerId, fencingToken, untilMs } = await expectOutcome(store, requestOf(1), 'new');
    const first = await store.inspect();
    deepEqual(first.rows, [{ workerId, fencingToken, reservedUntilMs: untilMs }]);
    equal(first.layout, 'contract layout');
    const second = await store.inspect();
    deepEqual({ ...second, storeNowMs: 0 }, { ...first, storeNowMs: 0 });
    equal((await expectOutcome(store, requestOf(2), 'new')).workerId, 1);
  },

  'never lets two windows of one worker ID overlap, whatever its holders do': async (under) => {
    deepEqual(await playRandomHolders(under, RANDOM_SEED, RANDOM_STEPS), [], `random seed ${RANDOM_SEED}`);
  },
};

const many = { workerCount: 32 };
const past = { layout: 'contract layout', firstWorkerId: 0, ...many, maxShiftMs: 0, ignoreLoss: false };
const PAST_MS = 1_700_000_000_000;

/** These cases also hold for a store that can't backfill: they find nothing to try. */
const backfilling: Record<string, ContractCase> = {
  'claims each timestamp of the past once, also if several claim it at once': async ({ store, letPass }) => {
    if (!store.backfill) return;
    const holder = await expectOutcome(store, requestOf(1, many), 'new');
    await letPass(2);
    const range = { firstMs: PAST_MS, untilMs: PAST_MS + 9 };
    const first = await store.backfill({ ...past, ...range, ignoreLoss: true }, FAR_DEADLINE);
    const others = await Promise.all(
      Array.from({ length: 5 }, () => store.backfill?.({ ...past, ...range }, FAR_DEADLINE)),
    );
    const workerIds = [first, ...others].map((reply) => {
      if (reply?.outcome !== 'claimed') throw new Error(`answered ${JSON.stringify(reply)}`);
      deepEqual([reply.fromMs, reply.untilMs], [0, range.untilMs]);
      return reply.workerId;
    });
    equal(new Set([holder.workerId, ...workerIds]).size, 7);
    const newcomer = await expectOutcome(store, requestOf(2, many), 'new');
    ok(!workerIds.includes(newcomer.workerId));
  },

  'claims the past without an assertion in a namespace that was declared new': async ({ store, letPass }) => {
    if (!store.backfill) return;
    await expectOutcome(store, requestOf(1, { ...many, assumeNew: true }), 'new');
    await letPass(2);
    const { outcome } = await store.backfill({ ...past, firstMs: PAST_MS, untilMs: PAST_MS }, FAR_DEADLINE);
    equal(outcome, 'claimed');
  },

  'continues a claim of the past above what was claimed, and refuses what may have been lost': async ({
    store,
    letPass,
  }) => {
    if (!store.backfill) return;
    await expectOutcome(store, requestOf(1, { ...many, assumeNew: false, ignoreLoss: true }), 'new');
    await letPass(2);
    const claim = { ...past, firstMs: PAST_MS, untilMs: PAST_MS };
    deepEqual(await store.backfill(claim, FAR_DEADLINE), { outcome: 'possible-loss' });
    const first = await store.backfill({ ...claim, ignoreLoss: true }, FAR_DEADLINE);
    const second = await store.backfill({ ...claim, maxShiftMs: 1 }, FAR_DEADLINE);
    deepEqual(second, { ...first, fromMs: PAST_MS, untilMs: PAST_MS + 1 });
    const { outcome } = await store.backfill({ ...claim, layout: 'other' }, FAR_DEADLINE);
    equal(outcome, 'layout');
  },
};

/**
 * Declares the contract of `LeaseStore` as tests of a renewable store.
 *
 * Cases that need time to pass use windows of a few hundred milliseconds and wait at most one or two seconds. For a store
 * with a single grant that never ends, use `fixedStoreContract`.
 *
 * @param makeStore creates a store with an empty registry; called once per case
 * @param framework `describe` and `it` of Jest, Vitest, Mocha or `node:test`
 * @example
 * ```ts
 * import { setTimeout } from 'node:timers/promises';
 *
 * async function emptyStore(): Promise<StoreUnderTest> {
 *   const store = new MyLeaseStore(new MyRegistry());
 *   return { store, letPass: (ms) => setTimeout(ms), dispose: () => store.close() };
 * }
 * leaseStoreContract(emptyStore, { describe, it });
 * ```
 */
export function leaseStoreContract(makeStore: () => Promise<StoreUnderTest>, framework: TestFramework): void {
  declareContract({ acquiring, holding, copied, releasing, backfilling }, makeStore, framework);
}
