import type { LeaseReply, LeaseStore } from '../../lease/lease-store.js';
import { staticLeaseStore } from '../fixed/fixed-worker-ids.js';
import { memoryLeaseStore } from '../memory/memory-lease-store.js';
import { MemoryRegistry } from '../memory/memory-registry.js';
import { fixedStoreContract, type FixedStoreUnderTest } from './fixed-store-contract.js';
import { leaseStoreContract } from './lease-store-contract.js';
import type { StoreUnderTest } from './store-under-test.js';

const START_MS = Date.UTC(2026, 0, 1);

async function memoryUnderTest(
  alter: (store: LeaseStore) => LeaseStore = (store) => store,
): Promise<StoreUnderTest> {
  let nowMs = START_MS;
  const store = alter(memoryLeaseStore({ registry: new MemoryRegistry(), clock: { now: () => nowMs } }));
  return {
    store,
    letPass: async (ms) => {
      nowMs += ms;
    },
    dispose: () => store.close(),
  };
}

describe('the lease store contract, on the memory store', () => {
  leaseStoreContract(() => memoryUnderTest(), { describe, it });
});

describe('the checks of the contract', () => {
  /** Runs the contract on a store with a fault and returns the names of the cases that noticed. */
  async function noticedBy(alter: (store: LeaseStore) => LeaseStore): Promise<string[]> {
    const cases = new Map<string, () => Promise<void>>();
    leaseStoreContract(() => memoryUnderTest(alter), {
      describe: (_, body) => body(),
      it: (name, body) => void cases.set(name, body),
    });
    const noticed: string[] = [];
    for (const [name, body] of cases) await body().catch(() => noticed.push(name));
    return noticed;
  }

  const altered = (store: LeaseStore, changes: Partial<LeaseStore>): LeaseStore => ({
    description: store.description,
    renewable: true,
    lease: (request) => store.lease(request),
    release: (request) => store.release(request),
    inspect: () => store.inspect(),
    close: () => store.close(),
    ...changes,
  });

  it('passes an unaltered store', async () => {
    expect(await noticedBy((store) => altered(store, {}))).toEqual([]);
  });

  it('notices a store that shifts windows into the past', async () => {
    const noticed = await noticedBy((store) =>
      altered(store, {
        lease: async (request) => {
          const reply = await store.lease(request);
          return reply.outcome === 'new' ? { ...reply, fromMs: reply.fromMs - 40 } : reply;
        },
      }),
    );
    expect(noticed).toContain('never lets two windows of one worker ID overlap, whatever its holders do');
  });

  it('notices a store that forgets the retry', async () => {
    const noticed = await noticedBy((store) =>
      altered(store, { lease: (request) => store.lease({ ...request, retry: false }) }),
    );
    expect(noticed).toContain('returns the same grant again after a lost reply');
  });

  it('notices a store that keeps the fencing token of a grant [promise: unique]', async () => {
    const noticed = await noticedBy((store) => {
      const present = async (workerId: number): Promise<string> => {
        const { rows } = await store.inspect();
        return rows.find((row) => row.workerId === workerId)?.fencingToken ?? '';
      };
      const isOfGrant = (stored: string, shown: string): boolean => stored.split('~')[0] === shown;
      return altered(store, {
        lease: async (request) => {
          const { claim } = request;
          if (!claim) return store.lease(request);
          const stored = await present(claim.workerId);
          if (!isOfGrant(stored, claim.fencingToken)) return store.lease(request);
          const reply = await store.lease({ ...request, claim: { ...claim, fencingToken: stored } });
          return reply.outcome === 'kept' ? { ...reply, fencingToken: claim.fencingToken } : reply;
        },
        release: async (request) => {
          const stored = await present(request.workerId);
          if (!isOfGrant(stored, request.fencingToken)) return store.release(request);
          return store.release({ ...request, fencingToken: stored });
        },
      });
    });
    expect(noticed).toEqual(
      expect.arrayContaining([
        'changes the fencing token with every renewal',
        'refuses the second of two copies of a holder, whichever it is, and keeps the lease of the first',
        'releases nothing for a copy after the other one has renewed',
      ]),
    );
  });

  it('notices a store that takes a lost reply for a copy', async () => {
    const noticed = await noticedBy((store) =>
      altered(store, {
        lease: ({ attempts, ...request }) => {
          const [latest] = attempts ?? [];
          return store.lease({ ...request, attempts: latest === undefined ? undefined : [latest] });
        },
      }),
    );
    expect(noticed).toEqual([
      'keeps the lease of a holder whose last replies were lost',
      'grants another worker ID to a copy that repeats a request after the other one got the grant',
    ]);
  });

  it('notices a store that gives one grant to two copies [promise: unique]', async () => {
    const noticed = await noticedBy((store) =>
      altered(store, {
        lease: ({ attempts, ...request }) => store.lease({ ...request, ...(request.claim && { attempts }) }),
      }),
    );
    expect(noticed).toEqual([
      'grants another worker ID to a copy that repeats a request after the other one got the grant',
    ]);
  });

  it('notices a store that releases nothing', async () => {
    const noticed = await noticedBy((store) =>
      altered(store, { release: async () => ({ outcome: 'released' }) }),
    );
    expect(noticed).toContain('grants a released worker ID again, above the last used timestamp');
  });

  it('notices a store that inspects by acquiring', async () => {
    const noticed = await noticedBy((store) =>
      altered(store, {
        inspect: async () => {
          const snapshot = await store.inspect();
          const [row] = snapshot.rows;
          if (row) await store.release({ ...row, lastUsedMs: row.reservedUntilMs });
          return snapshot;
        },
      }),
    );
    expect(noticed).toContain('shows the whole registry without changing it');
  });
});

const WORKER_ID = 17;

type Alteration = (store: LeaseStore, makeStore: () => LeaseStore) => Partial<LeaseStore>;

async function staticUnderTest(alter: Alteration = () => ({})): Promise<FixedStoreUnderTest> {
  let nowMs = START_MS;
  const makeStore = (): LeaseStore => staticLeaseStore({ workerId: WORKER_ID, clock: { now: () => nowMs } });
  const inner = makeStore();
  const store: LeaseStore = {
    description: inner.description,
    renewable: inner.renewable,
    lease: (request) => inner.lease(request),
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close: () => inner.close(),
    ...alter(inner, makeStore),
  };
  return {
    store,
    workerId: WORKER_ID,
    letPass: async (ms) => {
      nowMs += ms;
    },
    dispose: () => store.close(),
  };
}

describe('the fixed store contract, on the static store', () => {
  fixedStoreContract(() => staticUnderTest(), { describe, it });
});

/** Runs the contract on a store with a fault and returns the names of the cases that noticed. */
async function casesNoticing(alter: Alteration): Promise<string[]> {
  const cases = new Map<string, () => Promise<void>>();
  fixedStoreContract(() => staticUnderTest(alter), {
    describe: (_, body) => body(),
    it: (name, body) => void cases.set(name, body),
  });
  const noticed: string[] = [];
  for (const [name, body] of cases) await body().catch(() => noticed.push(name));
  return noticed;
}

/** Changes what the store answers. */
const answering =
  (change: (reply: LeaseReply) => LeaseReply): Alteration =>
  (store) => ({ lease: async (request) => change(await store.lease(request)) });

const grants = 'grants its worker ID from now on, without an end';
const keeps = 'keeps the grant of its holder, however much time has passed';
const refuses = 'refuses every other holder, however much time has passed';
const checksRange = 'rejects a range without its worker ID with a typed error, and grants nothing';
const takesBackOnce = 'releases its worker ID only under its fencing token, and only once';
const grantsNoMore = 'grants nothing more after a release';
const shows = 'shows its grant without changing anything';

const FAULTS: ReadonlyArray<readonly [fault: string, noticedAs: string, alter: Alteration]> = [
  ['calls itself renewable', 'is not renewable', () => ({ renewable: true })],
  [
    'grants timestamps from before the start',
    grants,
    answering((reply) => (reply.outcome === 'new' ? { ...reply, fromMs: reply.fromMs - 40 } : reply)),
  ],
  [
    'grants a window that ends',
    grants,
    answering((reply) => (reply.outcome === 'new' ? { ...reply, untilMs: reply.storeNowMs + 150 } : reply)),
  ],
  [
    'grants another worker ID',
    grants,
    answering((reply) => (reply.outcome === 'new' ? { ...reply, workerId: 3 } : reply)),
  ],
  ['forgets its holder', keeps, (store) => ({ lease: ({ claim: _, ...request }) => store.lease(request) })],
  [
    'grants to every holder',
    refuses,
    (store, makeStore) => ({ lease: (request) => (request.claim ? store : makeStore()).lease(request) }),
  ],
  [
    'renews under any fencing token',
    refuses,
    (store) => ({
      lease: async (request) => {
        const reply = await store.lease(request);
        const { untilMs, fencingToken = '' } = request.claim ?? {};
        if (untilMs === undefined) return reply;
        return { outcome: 'kept', fencingToken, untilMs, storeNowMs: START_MS };
      },
    }),
  ],
  [
    'returns a time at which it becomes free',
    refuses,
    answering((reply) => (reply.outcome === 'full' ? { ...reply, nextFreeInMs: 100 } : reply)),
  ],
  [
    'ignores the requested range',
    checksRange,
    (store) => ({ lease: (request) => store.lease({ ...request, firstWorkerId: 0, workerCount: 1024 }) }),
  ],
  [
    'refuses a range with a bare error',
    checksRange,
    (store) => ({
      lease: (request) => store.lease(request).catch(() => Promise.reject(new Error('no such worker ID'))),
    }),
  ],
  [
    'treats the last worker ID of a range as outside of it',
    'grants the first and the last worker ID of a range',
    (store) => ({ lease: (request) => store.lease({ ...request, workerCount: request.workerCount - 1 }) }),
  ],
  [
    'releases under any fencing token',
    takesBackOnce,
    (store) => ({
      release: async (request) => {
        const [row] = (await store.inspect()).rows;
        return store.release({ ...request, fencingToken: row?.fencingToken ?? '' });
      },
    }),
  ],
  [
    'releases under any worker ID',
    takesBackOnce,
    (store) => ({ release: (request) => store.release({ ...request, workerId: WORKER_ID }) }),
  ],
  ['always reports a release', takesBackOnce, () => ({ release: async () => ({ outcome: 'released' }) })],
  ['releases nothing', takesBackOnce, () => ({ release: async () => ({ outcome: 'gone' }) })],
  [
    'grants again after a release',
    grantsNoMore,
    (first, makeStore) => {
      let store = first;
      return {
        lease: (request) => store.lease(request),
        release: async (request) => {
          const reply = await store.release(request);
          if (reply.outcome === 'released') store = makeStore();
          return reply;
        },
      };
    },
  ],
  [
    'releases before a grant',
    'has nothing to release before a grant',
    () => ({ release: async () => ({ outcome: 'released' }) }),
  ],
  ['shows nothing', shows, () => ({ inspect: async () => ({ storeNowMs: START_MS, rows: [] }) })],
  [
    'releases on inspect',
    shows,
    (store) => ({
      inspect: async () => {
        const snapshot = await store.inspect();
        const [row] = snapshot.rows;
        if (row) await store.release({ ...row, lastUsedMs: row.reservedUntilMs });
        return snapshot;
      },
    }),
  ],
];

describe('the checks of the contract of fixed worker IDs', () => {
  it('passes an unaltered store', async () => {
    expect(await casesNoticing(() => ({}))).toEqual([]);
  });

  it.each(FAULTS)('notices a store that %s: "%s"', async (_, noticedAs, alter) => {
    expect(await casesNoticing(alter)).toContain(noticedAs);
  });
});
