import { RateLimit } from './rate-limit.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

describe('RateLimit', () => {
  it('lets no more than the limit through in any minute, however requests are spread', () => {
    let nowMs = 5_000_000;
    const limit = new RateLimit(30, { now: () => nowMs });
    const passed: number[] = [];
    for (let second = 0; second < 300; second++) {
      for (let attempt = 0; attempt < 3; attempt++) if (limit.take() === 0) passed.push(nowMs);
      nowMs += SECOND_MS;
    }
    for (const from of passed) {
      expect(passed.filter((timeMs) => timeMs >= from && timeMs < from + MINUTE_MS).length).toBeLessThan(31);
    }
    expect(passed).toHaveLength(5 * 30);
  });

  it('returns how long a refused request has to wait', () => {
    let nowMs = 0;
    const limit = new RateLimit(2, { now: () => nowMs });
    limit.take();
    nowMs = 10 * SECOND_MS;
    limit.take();
    nowMs = 15 * SECOND_MS;
    expect(limit.take()).toBe(45 * SECOND_MS);
    nowMs = MINUTE_MS;
    expect(limit.take()).toBe(0);
  });

  it('admits a request when the clock goes back', () => {
    let nowMs = 60 * MINUTE_MS;
    const limit = new RateLimit(1, { now: () => nowMs });
    limit.take();
    nowMs = 0;
    expect(limit.take()).toBe(0);
    expect(limit.take()).toBe(MINUTE_MS);
  });
});
