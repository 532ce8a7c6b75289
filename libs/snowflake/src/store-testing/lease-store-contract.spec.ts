import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { leaseStoreContract } from './lease-store-contract.js';
import type { StoreUnderTest } from './store-under-test.js';

const START_MS = Date.UTC(2026, 0, 1);

async function memoryUnderTest(
  alter: (store: LeaseStore) => LeaseStore = (store) => store,
): Promise<StoreUnderTest> {
  let nowMs = START_MS;
  const store = alter(memoryLeaseStore({ clock: { now: () => nowMs } }));
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
