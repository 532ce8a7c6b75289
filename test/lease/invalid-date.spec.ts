import { spawnChild } from '../support/child.js';

interface Report {
  readonly isInvalid: boolean;
  readonly distinct: number;
  readonly code?: string;
}

const isReport = (message: unknown): message is Report =>
  typeof message === 'object' && message !== null && 'isInvalid' in message;

describe('a process whose fake timers were set to an invalid date', () => {
  // In a process of its own, because no timeout of a test can end a thread that waits for ever.
  it.each([{ onSequenceExhausted: 'borrow' }, { onSequenceExhausted: 'wait' }, { onClockRollback: 'wait' }])(
    'keeps issuing distinct IDs, and ends (%j)',
    async (policies) => {
      const file = new URL('./children/invalid-date.mjs', import.meta.url);
      const child = spawnChild(file, { args: [JSON.stringify(policies)] });
      try {
        const report = await child.next(isReport, 20_000);
        expect(report).toEqual({ isInvalid: true, distinct: 30_000 });
        await expect(child.untilEnd(10_000)).resolves.toEqual({ code: 0, signal: null });
      } finally {
        await child.kill();
      }
    },
  );
});
