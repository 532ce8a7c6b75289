import type { LeaseReply, LeaseStore } from '../lease/lease-store.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { fixedStoreContract, type FixedStoreUnderTest } from './fixed-store-contract.js';

const START_MS = Date.UTC(2026, 0, 1);
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
async function noticedBy(alter: Alteration): Promise<string[]> {
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

const grants = 'grants its worker ID, from now on, for ever';
const keeps = 'keeps the grant for its holder, whatever time has passed';
const refuses = 'refuses everybody else, whatever time has passed';
const checksRange = 'rejects a range without its worker ID with a typed error, and grants nothing';
const takesBackOnce = 'takes its worker ID back under its fencing token only, and only once';
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
    'grants everybody',
    refuses,
    (store, makeStore) => ({ lease: (request) => (request.claim ? store : makeStore()).lease(request) }),
  ],
  [
    'keeps whatever is claimed',
    refuses,
    (store) => ({
      lease: async (request) => {
        const reply = await store.lease(request);
        const { untilMs } = request.claim ?? {};
        return untilMs === undefined ? reply : { outcome: 'kept', untilMs, storeNowMs: START_MS };
      },
    }),
  ],
  [
    'promises to become free',
    refuses,
    answering((reply) => (reply.outcome === 'full' ? { ...reply, nextFreeInMs: 100 } : reply)),
  ],
  [
    'asks for no range',
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
    'takes the last worker ID of a range for the first one outside',
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
  [
    'says that it released, always',
    takesBackOnce,
    () => ({ release: async () => ({ outcome: 'released' }) }),
  ],
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
    'has something to release before a grant',
    'has nothing to take back before a grant',
    () => ({ release: async () => ({ outcome: 'released' }) }),
  ],
  ['shows nothing', shows, () => ({ inspect: async () => ({ storeNowMs: START_MS, rows: [] }) })],
  [
    'releases when it is looked at',
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

describe('the contract itself', () => {
  it('passes an unaltered store', async () => {
    expect(await noticedBy(() => ({}))).toEqual([]);
  });

  it.each(FAULTS)('notices a store that %s: "%s"', async (_, noticedAs, alter) => {
    expect(await noticedBy(alter)).toContain(noticedAs);
  });
});
