import type { CallDeadline } from 'nestjs-snowflake/store';
import { systemClock } from 'nestjs-snowflake/core';
import type { MemberStore } from '../protocol/registry-segment-store.js';
import { SpreadSegmentStore } from './spread-segment-store.js';

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
});
