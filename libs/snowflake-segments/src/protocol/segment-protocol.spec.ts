import { MemorySegmentData, MemorySegmentRegistry } from '../memory/memory-segment-registry.js';
import { memorySegmentStore } from '../memory/memory-segment-store.js';
import { segmentStoreContract } from '../store-testing/segment-store-contract.js';
import type { ClaimReply, SegmentClaim } from '../store/segment-store.js';
import { admitMember, claimSegment, createTag, memberOf } from './segment-protocol.js';

const RESIDUE = { stride: 1, remainder: 0 };
const TAG = 'order';

/** A database whose content can be restored. */
async function database() {
  const data = new MemorySegmentData();
  const registry = new MemorySegmentRegistry(data);
  await createTag(registry, { tag: TAG, first: 1, step: 50 }, RESIDUE);
  let claims = 0;
  const claim = (floor: number, changes: Partial<SegmentClaim> = {}): Promise<ClaimReply> =>
    claimSegment(
      registry,
      { tag: TAG, token: `token ${(claims += 1)}`, count: 50, finished: [], ...changes },
      RESIDUE,
      floor,
    );
  /** Restores the counters from a backup, but not what this library has stored beside them. */
  const restoreCounters = (backup: MemorySegmentData): void => {
    for (const [tag, counter] of backup.counters) data.counters.set(tag, counter);
  };
  return { data, registry, claim, restoreCounters };
}

describe('a segment counter that was restored [promise: segments]', () => {
  it('grants nothing to a new process, though no live process reports what it was granted', async () => {
    const { data, claim, restoreCounters } = await database();
    const backup = data.copy();
    expect(await claim(0)).toMatchObject({ outcome: 'granted', first: 1, count: 50 });
    restoreCounters(backup);
    expect(await claim(0)).toEqual({ outcome: 'lost', reason: 'restored' });
  });

  it('grants the same numbers again if nothing stores how far it was (control)', async () => {
    const { data, registry, claim, restoreCounters } = await database();
    registry.setKnownUntil = async () => undefined;
    const backup = data.copy();
    await claim(0);
    restoreCounters(backup);
    expect(await claim(0)).toMatchObject({ outcome: 'granted', first: 1, count: 50 });
  });

  it('grants nothing when everything was restored, as soon as a process reports what it was granted', async () => {
    const { data, claim } = await database();
    const backup = data.copy();
    await claim(0);
    data.replaceBy(backup);
    expect(await claim(51)).toEqual({ outcome: 'lost', reason: 'restored' });
    expect(await claim(0)).toEqual({ outcome: 'lost', reason: 'restored' });
  });
});

describe('two processes that create one tag', () => {
  it('tells the slower one that the tag exists, even if it was committed between two reads', async () => {
    const { data, registry } = await database();
    const request = { tag: 'crowd', first: 1, step: 50 };
    const slower = new MemorySegmentRegistry(data);
    const { serverLoss } = slower;
    slower.serverLoss = async () => {
      await createTag(registry, request, RESIDUE);
      return serverLoss.call(slower);
    };
    expect(await createTag(slower, request, RESIDUE)).toEqual({ outcome: 'exists' });
  });

  it('refuses a tag whose counter is gone', async () => {
    const { data, registry } = await database();
    data.counters.delete(TAG);
    expect(await createTag(registry, { tag: TAG, first: 1, step: 50 }, RESIDUE)).toEqual({
      outcome: 'lost',
      reason: 'restored',
    });
  });
});

describe('a counter that another program made', () => {
  it('serves a foreign counter from its number on, and notices when it is restored', async () => {
    const { data, registry, claim, restoreCounters } = await database();
    const leaf = { tag: 'leaf' };
    await registry.addCounter('leaf', { next: 701, step: 50 });
    const backup = data.copy();
    expect(await claim(0, leaf)).toMatchObject({ outcome: 'granted', first: 701, count: 50 });
    expect(await claim(0, leaf)).toMatchObject({ outcome: 'granted', first: 751, count: 50 });
    restoreCounters(backup);
    expect(await claim(0, leaf)).toEqual({ outcome: 'lost', reason: 'restored' });
  });
});

describe('one of several databases', () => {
  it('serves a tag only under the identity with which it introduced itself', async () => {
    const { registry } = await database();
    const own = await memberOf(registry, TAG, RESIDUE, 'first life');
    if (!own) throw new Error('expected a member');
    expect(await admitMember(registry, TAG, { ...own, id: 'another life' }, {})).toBe(false);
    expect(await admitMember(registry, TAG, own, {})).toBe(true);
  });
});

describe('the segment store in memory', () => {
  segmentStoreContract(
    async () => {
      const store = memorySegmentStore();
      return { store, other: store, dispose: () => store.close() };
    },
    { describe, it },
  );
});
