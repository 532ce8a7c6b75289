import { RateMeter } from './rate-meter.js';

describe('the rate meter', () => {
  /** Issues evenly until `untilMs`. */
  function steady(meter: RateMeter, perMs: number, fromMs: number, untilMs: number, before = 0): void {
    for (let atMs = fromMs; atMs <= untilMs; atMs += 1000) meter.read(before + perMs * (atMs - fromMs), atMs);
  }

  it('follows an even rate within minutes, and its end too', () => {
    const meter = new RateMeter();
    steady(meter, 1, 0, 60_000);
    expect(meter.perMs).toBeGreaterThan(0.6);
    expect(meter.perMs).toBeLessThan(0.7);
    steady(meter, 1, 60_000, 300_000, 60_000);
    expect(meter.perMs).toBeGreaterThan(0.98);
    steady(meter, 0, 300_000, 600_000, 300_000);
    expect(meter.perMs).toBeLessThan(0.01);
  });

  it('counts a few numbers at once as what they are for a minute, not for a moment', () => {
    const meter = new RateMeter();
    meter.read(0, 0);
    meter.read(3, 100);
    expect(meter.perMs * 60_000).toBeCloseTo(3, 1);
  });

  it('adds up readings that come close together', () => {
    const meter = new RateMeter();
    meter.read(0, 0);
    for (let issued = 1; issued < 100; issued++) meter.read(issued, 1);
    expect(meter.perMs).toBe(0);
    meter.read(100, 100);
    expect(meter.perMs * 60_000).toBeCloseTo(100, 0);
  });

  it('survives a clock that steps', () => {
    const meter = new RateMeter();
    steady(meter, 1, 10_000_000, 10_600_000);
    const before = meter.perMs;
    meter.read(601_000, 0);
    expect(meter.perMs).toBe(before);
    meter.read(602_000, 1000);
    expect(meter.perMs).toBeCloseTo(1);
    meter.read(603_000, 86_400_000);
    expect(meter.perMs).toBeGreaterThan(0.8);
    expect(meter.perMs).toBeLessThanOrEqual(1);
  });
});
