import { type CallDeadline, StoreUnavailableError } from 'nestjs-snowflake/store';
import { systemClock } from 'nestjs-snowflake/core';
import { MemorySegmentData, MemorySegmentRegistry } from '../memory/memory-segment-registry.js';
import {
  type MemberStore,
  RegistrySegmentStore,
  type SegmentTransactions,
} from '../protocol/registry-segment-store.js';
import type { SegmentRegistry } from '../protocol/segment-registry.js';
import type { SegmentStore } from '../store/segment-store.js';
import { SpreadSegmentStore } from './spread-segment-store.js';

/** A database that several stores use, and whose replies can get lost. */
class SharedDatabase implements SegmentTransactions {
  isReplyLost = false;
  private readonly data = new MemorySegmentData();

  async transact<Reply>(work: (registry: SegmentRegistry) => Promise<Reply>): Promise<Reply> {
    const reply = await work(new MemorySegmentRegistry(this.data));
    if (this.isReplyLost) throw new StoreUnavailableError('the reply got lost');
    return reply;
  }
  open(): void {}
  async close(): Promise<void> {}
}

function storeOn(databases: readonly SharedDatabase[]): SegmentStore {
  const members = databases.map(
    (database, remainder) =>
      new RegistrySegmentStore(`database ${remainder}`, { stride: databases.length, remainder }, database),
  );
  return new SpreadSegmentStore(members, systemClock);
}

async function firstOf(store: SegmentStore, token: string): Promise<number> {
  const reply = await store.claim({ tag: 'order', token, count: 10, finished: [] });
  if (reply.outcome !== 'granted') throw new Error(`expected a segment, got ${JSON.stringify(reply)}`);
  return reply.first;
}

describe('a store of several databases', () => {
  it('gives a claim without a deadline the time that open() was given', async () => {
    let givenMs = 0;
    const member = {
      description: 'a database',
      stride: 1,
      open: () => undefined,
      claimAsMember: (_claim: unknown, deadline: CallDeadline) => {
        givenMs = deadline.remainingMs();
        return Promise.resolve({ outcome: 'ended' });
      },
    };
    const store = new SpreadSegmentStore([member as unknown as MemberStore], {
      ...systemClock,
      now: () => 0,
    });
    store.open({ callTimeoutMs: 60_000 });
    await store.claim({ tag: 'order', token: 'a', count: 1, finished: [] });
    expect(givenMs).toBeGreaterThan(30_000);
  });

  it('must get all attempts of a claim: another one can grant a segment that it repeats itself (control)', async () => {
    const databases = [new SharedDatabase(), new SharedDatabase()] as const;
    const [one, other] = [storeOn(databases), storeOn(databases)];
    await one.create({ tag: 'order', first: 1, step: 10 });
    const before = [
      await firstOf(one, 'a'),
      await firstOf(one, 'b'),
      await firstOf(other, 'c'),
      await firstOf(other, 'd'),
    ];
    expect(new Set(before).size).toBe(4);
    databases[0].isReplyLost = true;
    await firstOf(one, 'retried');
    databases[0].isReplyLost = false;
    const retried = await firstOf(other, 'retried');
    expect([await firstOf(one, 'later'), await firstOf(one, 'last')]).toContain(retried);
  });
});
