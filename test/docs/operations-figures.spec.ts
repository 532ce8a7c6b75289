import { leaseTiming } from '../../libs/snowflake/src/lease/lease-timing.js';

describe('the figures for replicas', () => {
  it('are those of a window of 42 s, and a shorter one has others', () => {
    const timing = leaseTiming({ windowMs: 42_000 }, 1, 'wait');
    expect(timing.callTimeoutMs).toBe(1400);
    expect(timing.maxSkewMs).toBeGreaterThanOrEqual(2 * timing.callTimeoutMs);
    expect(leaseTiming({ windowMs: 41_999 }, 1, 'wait').callTimeoutMs).toBeLessThan(1400);
  });
});
