import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { LeaseRequest } from '../../lease/lease-store.js';
import { type ContractCase, declareContract } from './declare-contract.js';
import {
  expectOutcome,
  type Granted,
  MAX_SKEW_MS,
  renewalOf,
  requestOf,
  SHORT_WINDOW_MS,
  type StoreUnderTest,
  type TestFramework,
} from './store-under-test.js';

/** A store with a fixed worker ID that has not been granted. Each case of the contract gets one. */
export interface FixedStoreUnderTest extends StoreUnderTest {
  /** The worker ID that the store grants, at least 1: the contract also requests those below it. */
  readonly workerId: number;
}

type FixedCase = ContractCase<FixedStoreUnderTest>;

/** The last instant that a `Date` can hold. A grant that reaches beyond it never ends. */
const END_OF_TIME_MS = 8.64e15;
/** A window that would end soon if the store granted windows. */
const SHORT: Partial<LeaseRequest> = { windowMs: SHORT_WINDOW_MS };
const UNTIL_SHORT_WINDOWS_END_MS = SHORT_WINDOW_MS + MAX_SKEW_MS + 10;

/** Returns the acquire request of holder `index` for any worker ID up to the store's. */
function fixedRequest(
  { workerId }: FixedStoreUnderTest,
  index: number,
  changes: Partial<LeaseRequest> = {},
): LeaseRequest {
  return requestOf(index, { workerCount: workerId + 1, assumeNew: false, ...SHORT, ...changes });
}

function claimRequest(under: FixedStoreUnderTest, grant: Granted, index: number): LeaseRequest {
  return fixedRequest(under, index, { claim: renewalOf(grant, index).claim });
}

/** Checks that no holder can get the worker ID, now or later. */
async function expectFullForEver({ store }: FixedStoreUnderTest, request: LeaseRequest): Promise<void> {
  const { nextFreeInMs, storeNowMs } = await expectOutcome(store, request, 'full');
  ok(storeNowMs + nextFreeInMs >= END_OF_TIME_MS, 'the worker ID never becomes free');
}

const granting: Record<string, FixedCase> = {
  'is not renewable': async ({ store }) => {
    equal(store.renewable, false);
  },

  'grants its worker ID from now on, without an end': async (under) => {
    const { storeNowMs: beforeMs } = await under.store.inspect();
    await under.letPass(2);
    const grant = await expectOutcome(under.store, fixedRequest(under, 1), 'new');
    equal(grant.workerId, under.workerId);
    ok(grant.fromMs > beforeMs, 'earlier timestamps may belong to an earlier process');
    ok(grant.fromMs <= grant.storeNowMs, 'issuing can start at once');
    ok(grant.untilMs >= END_OF_TIME_MS, 'the grant does not end');
    ok(grant.fencingToken !== '', 'a grant has a fencing token');
  },

  'keeps the grant of its holder, however much time has passed': async (under) => {
    const grant = await expectOutcome(under.store, fixedRequest(under, 1), 'new');
    await under.letPass(UNTIL_SHORT_WINDOWS_END_MS);
    const kept = await expectOutcome(under.store, claimRequest(under, grant, 2), 'kept');
    equal(kept.untilMs, grant.untilMs);
  },

  'refuses every other holder, however much time has passed': async (under) => {
    const grant = await expectOutcome(under.store, fixedRequest(under, 1), 'new');
    await expectFullForEver(under, fixedRequest(under, 2));
    await under.letPass(UNTIL_SHORT_WINDOWS_END_MS);
    await expectFullForEver(under, fixedRequest(under, 2));
    await expectFullForEver(under, fixedRequest(under, 3, { preferLongestOffline: true }));
    await expectFullForEver(
      under,
      claimRequest(under, { ...grant, fencingToken: `not ${grant.fencingToken}` }, 4),
    );
    await expectOutcome(under.store, claimRequest(under, grant, 5), 'kept');
  },

  'grants the first and the last worker ID of a range': async (under) => {
    const { store, workerId } = under;
    const only = fixedRequest(under, 1, { firstWorkerId: workerId, workerCount: 1 });
    equal((await expectOutcome(store, only, 'new')).workerId, workerId);
  },

  'rejects a range without its worker ID with a typed error, and grants nothing': async (under) => {
    const { store, workerId } = under;
    const below = fixedRequest(under, 1, { firstWorkerId: 0, workerCount: workerId });
    const above = fixedRequest(under, 1, { firstWorkerId: workerId + 1, workerCount: 8 });
    for (const request of [below, above]) {
      await rejects(store.lease(request), { code: 'SNOWFLAKE_INVALID_OPTION' });
    }
    deepEqual((await store.inspect()).rows, []);
    const grant = await expectOutcome(store, fixedRequest(under, 2), 'new');
    await rejects(store.lease({ ...claimRequest(under, grant, 3), workerCount: workerId }), {
      code: 'SNOWFLAKE_INVALID_OPTION',
    });
  },
};

const releasing: Record<string, FixedCase> = {
  'releases its worker ID only under its fencing token, and only once': async (under) => {
    const { store } = under;
    const grant = await expectOutcome(store, fixedRequest(under, 1), 'new');
    const { workerId, fencingToken, storeNowMs } = grant;
    const release = { workerId, fencingToken, lastUsedMs: storeNowMs + 5 };
    deepEqual(await store.release({ ...release, fencingToken: `not ${fencingToken}` }), { outcome: 'gone' });
    deepEqual(await store.release({ ...release, fencingToken: '' }), { outcome: 'gone' });
    deepEqual(await store.release({ ...release, workerId: workerId - 1 }), { outcome: 'gone' });
    await expectOutcome(store, claimRequest(under, grant, 2), 'kept');
    deepEqual(await store.release(release), { outcome: 'released' });
    deepEqual(await store.release({ ...release, lastUsedMs: storeNowMs + 9 }), { outcome: 'gone' });
    const rows = [{ workerId, fencingToken: '', reservedUntilMs: release.lastUsedMs }];
    deepEqual((await store.inspect()).rows, rows);
  },

  'grants nothing more after a release': async (under) => {
    const { store } = under;
    const grant = await expectOutcome(store, fixedRequest(under, 1), 'new');
    const { workerId, fencingToken, storeNowMs } = grant;
    await store.release({ workerId, fencingToken, lastUsedMs: storeNowMs });
    await under.letPass(UNTIL_SHORT_WINDOWS_END_MS);
    await expectFullForEver(under, fixedRequest(under, 2));
    await expectFullForEver(under, claimRequest(under, grant, 3));
  },

  'has nothing to release before a grant': async ({ store, workerId }) => {
    deepEqual(await store.release({ workerId, fencingToken: '', lastUsedMs: 0 }), { outcome: 'gone' });
    deepEqual((await store.inspect()).rows, []);
  },
};

const showing: Record<string, FixedCase> = {
  'shows its grant without changing anything': async (under) => {
    const { store } = under;
    const empty = await store.inspect();
    deepEqual(empty.rows, []);
    equal(empty.layout, undefined);
    const grant = await expectOutcome(store, fixedRequest(under, 1), 'new');
    const { workerId, fencingToken, untilMs } = grant;
    const first = await store.inspect();
    deepEqual(first.rows, [{ workerId, fencingToken, reservedUntilMs: untilMs }]);
    equal(first.layout, fixedRequest(under, 1).layout);
    const second = await store.inspect();
    deepEqual({ ...second, storeNowMs: 0 }, { ...first, storeNowMs: 0 });
    await expectOutcome(store, claimRequest(under, grant, 2), 'kept');
  },
};

/**
 * Declares the contract of a `LeaseStore` with one grant that never ends (`renewable: false`), as tests of that store.
 *
 * It waits at most a few hundred milliseconds at a time. For a renewable store, use `leaseStoreContract`.
 *
 * @param makeStore creates a store that has granted nothing; called once per case
 * @param framework `describe` and `it` of Jest, Vitest, Mocha or `node:test`
 * @example
 * ```ts
 * import { setTimeout } from 'node:timers/promises';
 *
 * async function unusedStore(): Promise<FixedStoreUnderTest> {
 *   const store = new MyFixedStore(17);
 *   return { store, workerId: 17, letPass: (ms) => setTimeout(ms), dispose: () => store.close() };
 * }
 * fixedStoreContract(unusedStore, { describe, it });
 * ```
 */
export function fixedStoreContract(
  makeStore: () => Promise<FixedStoreUnderTest>,
  framework: TestFramework,
): void {
  declareContract({ granting, releasing, showing }, makeStore, framework);
}
