import { InvalidOptionError } from '../core/errors/input-errors.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import { keeperSettings, sanitizedHolderName, type LeaseOptions } from './lease-options.js';

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
