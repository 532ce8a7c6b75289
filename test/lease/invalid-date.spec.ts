import { spawnChild } from '../support/child.js';

const TIMEOUT_MS = 20_000;
const POLICIES = [
  { onSequenceExhausted: 'borrow' },
  { onSequenceExhausted: 'wait' },
  { onClockRollback: 'wait' },
];

interface Report {
  readonly policies: object;
  readonly isInvalid: boolean;
  readonly distinct: number;
  readonly code?: string;
}

const isReport = (message: unknown): message is Report =>
  typeof message === 'object' && message !== null && 'isInvalid' in message;

describe('a process whose fake timers were set to an invalid date', () => {
  // In a process of its own, because no timeout of a test can end a thread that waits for ever.
  it('keeps issuing distinct IDs under each policy, and ends', async () => {
    const child = spawnChild(new URL('./children/invalid-date.ts', import.meta.url));
    try {
      for (const policies of POLICIES) {
        const report = await child.next(isReport);
        expect(report).toEqual({ policies, isInvalid: true, distinct: 30_000 });
      }
      await expect(child.untilEnd(TIMEOUT_MS)).resolves.toEqual({ code: 0, signal: null });
    } finally {
      await child.kill();
    }
  });
});
