import { jest } from '@jest/globals';
import { systemClock } from './index.js';

describe('systemClock', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('blocks until a time is reached, and says so', () => {
    const target = Date.now() + 12;
    expect(systemClock.blockUntil(target, 1000)).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(target);
    expect(systemClock.blockUntil(target, 1000)).toBe(true);
  });

  it('does not block longer than its bound, even when the wall clock stands still', () => {
    const standing = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(standing);
    expect(systemClock.blockUntil(standing + 1, 5)).toBe(false);
    expect(systemClock.blockUntil(standing + 3_600_000, 5)).toBe(false);
  });

  it.each([
    [3, 3],
    [2, 1],
    [3_600_000, 3],
  ])(
    'does not block for ever under fake timers, which stop every clock (%d ms, at most %d)',
    (aheadMs, maxBlockMs) => {
      jest.useFakeTimers();
      const standingMs = Date.now();
      let looks = 0;
      jest.spyOn(Date, 'now').mockImplementation(() => {
        // Else a clock that looks for ever could be ended by nothing, not even by the bound of the test.
        if (looks++ > 3000) throw new Error('looks at the clock for ever');
        return standingMs;
      });
      expect(systemClock.blockUntil(standingMs + aheadMs, maxBlockMs)).toBe(false);
    },
  );

  it('runs a task once, unless it is cancelled', async () => {
    const ran: string[] = [];
    systemClock.schedule(1, () => ran.push('cancelled')).cancel();
    await new Promise<void>((resolve) => systemClock.schedule(5, () => (ran.push('ran'), resolve())));
    expect(ran).toEqual(['ran']);
  });

  it('runs a task after this turn', async () => {
    const order: string[] = [];
    systemClock.afterThisTurn?.(() => order.push('after'));
    order.push('now');
    await Promise.resolve();
    expect(order).toEqual(['now', 'after']);
  });

  it('runs it whatever becomes of fake timers that hold microtasks', async () => {
    const order: string[] = [];
    jest.useFakeTimers();
    systemClock.afterThisTurn?.(() => order.push('after'));
    jest.useRealTimers();
    await Promise.resolve();
    expect(order).toEqual(['after']);
  });
});
