import { BitLayout } from '../core/layout/bit-layout.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { keeperSettings, sanitizedHolderName, type LeaseOptions } from './keeper-settings.js';
import { leaseTiming } from './lease-timing.js';

describe('leaseTiming', () => {
  it('follows from the window', () => {
    expect(leaseTiming({}, 1, 'wait')).toEqual({
      windowMs: 60_000,
      renewEveryMs: 10_000,
      reserveMs: 10_000,
      maxSkewMs: 5_000,
      callTimeoutMs: 2_000,
      acquireTimeoutMs: 80_000,
    });
    expect(leaseTiming({ windowMs: 1000 }, 1, 'wait')).toMatchObject({
      renewEveryMs: 166,
      callTimeoutMs: 33,
    });
    expect(leaseTiming({ windowMs: 86_400_000 }, 1, 'wait').callTimeoutMs).toBe(2000);
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
  ])('refuses %s of %p', (option, options) => {
    expect(() => keeperSettings(new BitLayout(), options)).toThrow(expect.objectContaining({ option }));
    expect(() => keeperSettings(new BitLayout(), options)).toThrow(InvalidOptionError);
  });

  it('wants a reserve of two ticks', () => {
    expect(() => leaseTiming({}, 10_000, 'wait')).toThrow(/reserveMs is less than two ticks of 10000 ms/);
    expect(leaseTiming({ windowMs: 600_000 }, 10_000, 'wait').reserveMs).toBe(100_000);
  });

  it('names the command that spares a new namespace the wait, and no setting for production', () => {
    const refused = expect.objectContaining({
      option: 'lease.acquireTimeoutMs',
      remedy: expect.stringContaining('npx nestjs-snowflake-cli init'),
    });
    expect(() => leaseTiming({ acquireTimeoutMs: 65_000 }, 1, 'wait')).toThrow(refused);
    expect(() => leaseTiming({ acquireTimeoutMs: 65_000 }, 1, 'wait')).not.toThrow(/ignore/);
  });

  it('lets a start be short where it does not have to wait for an unknown history', () => {
    expect(leaseTiming({ acquireTimeoutMs: 100 }, 1, 'ignore').acquireTimeoutMs).toBe(100);
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
