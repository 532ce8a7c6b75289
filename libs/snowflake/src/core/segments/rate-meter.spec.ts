import { RateMeter } from './rate-meter.js';

describe('the rate meter', () => {
  it('follows a rise at once and a decline slowly', () => {
    const meter = new RateMeter();
    meter.read(0, 0);
    meter.read(100, 1000);
    expect(meter.perMs).toBeCloseTo(0.1);
    meter.read(1100, 2000);
    expect(meter.perMs).toBeCloseTo(1);
    meter.read(1100, 3000);
    expect(meter.perMs).toBeGreaterThan(0.9);
    for (let atMs = 4000; atMs <= 300_000; atMs += 1000) meter.read(1100, atMs);
    expect(meter.perMs).toBeLessThan(0.001);
  });

  it('adds up readings that come close together', () => {
    const meter = new RateMeter();
    meter.read(0, 0);
    for (let issued = 1; issued < 100; issued++) meter.read(issued, 1);
    expect(meter.perMs).toBe(0);
    meter.read(100, 100);
    expect(meter.perMs).toBeCloseTo(1);
  });

  it('survives a clock that steps', () => {
    const meter = new RateMeter();
    meter.read(0, 10_000_000);
    meter.read(1000, 10_001_000);
    meter.read(2000, 0);
    expect(meter.perMs).toBeCloseTo(1);
    meter.read(3000, 1000);
    expect(meter.perMs).toBeCloseTo(1);
    meter.read(4000, 86_400_000);
    expect(meter.perMs).toBeGreaterThan(0.7);
    expect(meter.perMs).toBeLessThanOrEqual(1);
  });
});
