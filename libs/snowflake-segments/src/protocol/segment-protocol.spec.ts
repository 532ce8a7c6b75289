import { MemorySegmentData, MemorySegmentRegistry } from '../memory/memory-segment-registry.js';
import { memorySegmentStore } from '../memory/memory-segment-store.js';
import { segmentStoreContract } from '../store-testing/segment-store-contract.js';
import type { ClaimReply, SegmentClaim } from '../store/segment-store.js';
import { RegistrySegmentStore } from './registry-segment-store.js';
import type { SegmentRegistry } from './segment-registry.js';
import {
  admitMember,
  claimSegment,
  createTag,
  introduceMember,
  memberOf,
  readTags,
} from './segment-protocol.js';

const RESIDUE = { stride: 1, remainder: 0 };
const TAG = 'order';

/** A database whose content can be restored. */
async function database() {
  const data = new MemorySegmentData();
  const registry = new MemorySegmentRegistry(data);
  await createTag(registry, { tag: TAG, first: 1, step: 50 }, RESIDUE);
  let claims = 0;
  const claim = (floor: number, changes: Partial<SegmentClaim> = {}): Promise<ClaimReply> =>
    claimSegment(registry, {
      claim: { tag: TAG, token: `token ${(claims += 1)}`, count: 50, finished: [], ...changes },
      residue: RESIDUE,
      floor,
    });
  /** Restores the counters from a backup, but not what this library has stored beside them. */
  const restoreCounters = (backup: MemorySegmentData): void => {
    for (const [tag, counter] of backup.counters) data.counters.set(tag, counter);
  };
  return { data, registry, claim, restoreCounters };
}

const storeOn = (registry: SegmentRegistry): RegistrySegmentStore =>
  new RegistrySegmentStore('one registry', RESIDUE, {
    transact: (work) => work(registry),
    open: () => undefined,
    close: async () => undefined,
  });

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

  it('grants nothing when everything was restored to the store of a process that was granted a segment', async () => {
    const { data, registry } = await database();
    const store = storeOn(registry);
    const claim = (token: string): Promise<ClaimReply> =>
      store.claim({ tag: TAG, token, count: 50, finished: [] });
    const backup = data.copy();
    expect(await claim('first')).toMatchObject({ outcome: 'granted', first: 1, count: 50 });
    data.replaceBy(backup);
    expect(await claim('second')).toEqual({ outcome: 'lost', reason: 'restored' });
  });

  it('appears in what the operator reads, unlike a counter that stands where it was or has no state', async () => {
    const { data, registry, claim, restoreCounters } = await database();
    await registry.addCounter('leaf', { next: 701, step: 50 });
    const backup = data.copy();
    await claim(0);
    expect(await readTags(registry)).not.toHaveProperty('lost');
    restoreCounters(backup);
    expect(await readTags(registry)).toMatchObject({ lost: 'restored', tags: [{ tag: TAG, next: 1 }, {}] });
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
  const other = { remainder: 1, id: 'other' };

  it('grants nothing before it is admitted, keeps its identity, and notices that it was restored', async () => {
    const { data, registry } = await database();
    const store = storeOn(registry);
    const claim = { tag: TAG, token: 'first', count: 50, finished: [] };
    const own = { remainder: 0, id: 'own' };
    expect(await store.claimAsMember(claim)).toEqual({ outcome: 'unannounced' });
    expect(await store.member(TAG, 'own')).toEqual({ ...own, isAnnounced: false });
    expect(await store.claimAsMember(claim)).toEqual({ outcome: 'unannounced' });
    expect(await store.admit(TAG, own, { 1: 'other' })).toBe(true);
    expect(await store.member(TAG, 'another')).toEqual({ ...own, isAnnounced: true });
    const backup = data.copy();
    expect(await store.claimAsMember(claim)).toMatchObject({ outcome: 'granted', first: 1 });
    data.replaceBy(backup);
    const next = { ...claim, token: 'second' };
    expect(await store.claimAsMember(next)).toEqual({ outcome: 'lost', reason: 'restored' });
  });

  it('refuses a database in the place of one that it knows', async () => {
    const { registry } = await database();
    const introduce = (id: string) => introduceMember(registry, TAG, { ...other, id }, RESIDUE);
    const noted = { outcome: 'noted', members: { 1: 'other' } };
    expect([await introduce('other'), await introduce('other')]).toEqual([noted, noted]);
    await memberOf(registry, TAG, RESIDUE, 'own');
    expect(await introduce('stranger')).toEqual({ outcome: 'lost', reason: 'replaced' });
  });

  it('stays out of a group of databases that contradicts what it knows', async () => {
    const { registry } = await database();
    await introduceMember(registry, TAG, other, RESIDUE);
    const own = { remainder: 0, id: 'own' };
    await memberOf(registry, TAG, RESIDUE, own.id);
    expect(await admitMember(registry, TAG, own, { 1: 'stranger' })).toBe(false);
    expect(await admitMember(registry, TAG, own, { 0: 'stranger' })).toBe(false);
    expect(await admitMember(registry, TAG, own, { 1: 'other' })).toBe(true);
  });

  it('serves a tag only under the identity with which it introduced itself', async () => {
    const { registry } = await database();
    const own = await memberOf(registry, TAG, RESIDUE, 'first life');
    if (!own) throw new Error('expected a member');
    expect(await admitMember(registry, TAG, { ...own, id: 'another life' }, {})).toBe(false);
    expect(await admitMember(registry, TAG, own, {})).toBe(true);
  });

  it('names itself to another one as soon as it has an identity', async () => {
    const { registry } = await database();
    const introduce = () => introduceMember(registry, TAG, other, RESIDUE);
    expect(await introduce()).toStrictEqual({ outcome: 'noted', members: { 1: 'other' } });
    await memberOf(registry, TAG, RESIDUE, 'own');
    expect(await introduce()).toStrictEqual({ outcome: 'noted', members: { 0: 'own', 1: 'other' } });
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
