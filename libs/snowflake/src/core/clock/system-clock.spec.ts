import { jest } from '@jest/globals';
import { systemClock } from './system-clock.js';

describe('systemClock', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('blocks until a time is reached, and returns true', () => {
    const target = Date.now() + 12;
    expect(systemClock.blockUntil(target, 1000)).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(target);
    expect(systemClock.blockUntil(target, 1000)).toBe(true);
  });

  it('blocks no longer than its bound, even if the wall clock has stopped', () => {
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
    'stops blocking under fake timers, which stop every clock (%d ms, at most %d)',
    (aheadMs, maxBlockMs) => {
      jest.useFakeTimers();
      const standingMs = Date.now();
      let looks = 0;
      jest.spyOn(Date, 'now').mockImplementation(() => {
        // In a worker, because not even the test's timeout could end a clock that polls forever.
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

  it('runs a task after this turn, even if fake timers replace microtasks', async () => {
    const order: string[] = [];
    jest.useFakeTimers();
    systemClock.afterThisTurn?.(() => order.push('after'));
    jest.useRealTimers();
    await Promise.resolve();
    expect(order).toEqual(['after']);
  });
});
