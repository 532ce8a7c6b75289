import fc from 'fast-check';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import {
  keeperSettings,
  type LeaseOptions,
  type LeaseTimingOptions,
  sanitizedHolderName,
} from './lease-options.js';

describe('keeperSettings', () => {
  const settings = (options: LeaseOptions, tickMs = 1) => keeperSettings(new BitLayout({ tickMs }), options);

  it('follows from the window', () => {
    expect(settings({})).toMatchObject({
      windowMs: 60_000,
      renewEveryMs: 10_000,
      reserveMs: 10_000,
      maxSkewMs: 5_000,
      callTimeoutMs: 2_000,
      acquireTimeoutMs: 80_000,
    });
    expect(settings({ windowMs: 1000 })).toMatchObject({
      renewEveryMs: 166,
      callTimeoutMs: 33,
    });
    expect(settings({ windowMs: 86_400_000 }).callTimeoutMs).toBe(2000);
  });

  it.each<[string, LeaseOptions]>([
    ['lease.windowMs', { windowMs: 999 }],
    ['lease.windowMs', { windowMs: 86_400_001 }],
    ['lease.windowMs', { windowMs: Number.NaN }],
    ['lease.windowMs', { windowMs: 60_000, renewEveryMs: 50_000 }],
    ['lease.windowMs', { windowMs: 60_000, reserveMs: 40_000 }],
    ['lease.renewEveryMs', { renewEveryMs: 0 }],
    ['lease.callTimeoutMs', { callTimeoutMs: 2_501 }],
    ['lease.acquireTimeoutMs', { acquireTimeoutMs: 65_000 }],
    ['lease.possibleLoss', { possibleLoss: 'hope' as 'wait' }],
    ['lease.firstWorkerId', { firstWorkerId: 1024 }],
    ['lease.workerCount', { firstWorkerId: 1000, workerCount: 25 }],
    ['lease.workerCount', { workerCount: 0 }],
  ])('refuses %s of %o', (option, options) => {
    expect(() => keeperSettings(new BitLayout(), options)).toThrow(expect.objectContaining({ option }));
    expect(() => keeperSettings(new BitLayout(), options)).toThrow(InvalidOptionError);
  });

  it('wants a reserve of two ticks', () => {
    expect(() => settings({}, 10_000)).toThrow(/reserveMs is less than two ticks of 10000 ms/);
    expect(settings({ windowMs: 600_000 }, 10_000).reserveMs).toBe(100_000);
  });

  it('names the command that spares a new namespace the wait, and no setting for production', () => {
    const refused = expect.objectContaining({
      option: 'lease.acquireTimeoutMs',
      remedy: expect.stringContaining('npx nestjs-snowflake-cli init'),
    });
    expect(() => settings({ acquireTimeoutMs: 65_000 })).toThrow(refused);
    expect(() => settings({ acquireTimeoutMs: 65_000 })).not.toThrow(/ignore/);
  });

  it('lets a start be short where it does not have to wait for an unknown history', () => {
    expect(settings({ acquireTimeoutMs: 100, possibleLoss: 'ignore' }).acquireTimeoutMs).toBe(100);
  });

  it('puts the worker ID range into the fingerprint, and refuses a datacenter without a field', () => {
    const layout = new BitLayout();
    const all = keeperSettings(layout, {});
    expect(all.fingerprint).toBe(`v2 ${layout.fingerprint} workers=0+1024`);
    expect(keeperSettings(layout, { firstWorkerId: 512 }).fingerprint).toContain('workers=512+512');
    expect(() => keeperSettings(layout, {}, 'switch', 1)).toThrow(/datacenterId is out of bounds/);
  });

  it('keeps what a fencing token is made of out of holder names', () => {
    expect(sanitizedHolderName('web 1@eu:4711')).toBe('web_1_eu_4711');
    expect(sanitizedHolderName('x'.repeat(100))).toHaveLength(64);
  });
});

describe('durations that fit each other', () => {
  const layout = new BitLayout();

  /** The rule that docs/reference/options.md states, without the tick. */
  const fits = (timing: Required<LeaseTimingOptions>): boolean =>
    Math.ceil((11 * timing.renewEveryMs) / 10) +
      2 * timing.callTimeoutMs +
      timing.maxSkewMs +
      timing.reserveMs <
      timing.windowMs &&
    2 * timing.callTimeoutMs <= timing.maxSkewMs &&
    timing.acquireTimeoutMs > timing.windowMs + timing.maxSkewMs;

  it('the library accepts durations that keep the documented rule, and refuses others', () => {
    const seen = { fit: 0, unfit: 0 };
    const windowMs = 1000;
    const ms = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most });
    const timings = fc
      .record({ renewEveryMs: ms(600), callTimeoutMs: ms(80), maxSkewMs: ms(160), over: ms(1000) })
      .chain(({ over, ...some }) => {
        const leftMs =
          windowMs - Math.ceil((11 * some.renewEveryMs) / 10) - 2 * some.callTimeoutMs - some.maxSkewMs;
        // On both sides of the edge, and on it.
        return fc
          .integer({ min: Math.max(2, leftMs - 2), max: Math.max(2, leftMs + 2) })
          .map((reserveMs) => ({
            ...some,
            windowMs,
            reserveMs: Math.min(reserveMs, windowMs),
            acquireTimeoutMs: windowMs + some.maxSkewMs + (over % 3) - 1,
          }));
      });
    fc.assert(
      fc.property(timings, (timing) => {
        if (fits(timing)) expect(keeperSettings(layout, timing)).toMatchObject(timing);
        else expect(() => keeperSettings(layout, timing)).toThrow(InvalidOptionError);
        seen[fits(timing) ? 'fit' : 'unfit']++;
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.fit, seen.unfit)).toBeGreaterThan(20);
  });

  it('the defaults of every window keep the rule', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 86_400_000 }), (windowMs) => {
        expect(fits(keeperSettings(layout, { windowMs }))).toBe(true);
      }),
      { numRuns: 500, examples: [[1000], [86_400_000]] },
    );
  });
});
