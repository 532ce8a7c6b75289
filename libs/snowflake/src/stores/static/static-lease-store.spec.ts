import type { LeaseRequest } from '../../lease/lease-store.js';
import { staticLeaseStore } from './static-lease-store.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const clock = { now: () => NOW_MS };
const request: LeaseRequest = {
  layout: 'l',
  firstWorkerId: 0,
  workerCount: 1024,
  windowMs: 60_000,
  maxSkewMs: 5_000,
  nonce: 'nonce',
  retry: false,
  trustEmptyRegistry: false,
  searchSeed: 0,
};
const grant = {
  outcome: 'new',
  workerId: 17,
  deed: `nonce@${NOW_MS}`,
  fromMs: NOW_MS,
  untilMs: Number.MAX_SAFE_INTEGER,
  storeNowMs: NOW_MS,
};

describe('staticLeaseStore', () => {
  it('grants its worker ID once, for ever', async () => {
    const store = staticLeaseStore({ workerId: 17, clock });
    expect(store.renewable).toBe(false);
    expect(await store.lease(request)).toEqual(grant);
    expect(await store.lease({ ...request, nonce: 'other' })).toMatchObject({ outcome: 'full' });
    const { workerId, deed, untilMs } = grant;
    const claim = { workerId, deed, untilMs };
    expect(await store.lease({ ...request, claim })).toMatchObject({ outcome: 'kept', untilMs });
    expect(await store.lease({ ...request, claim: { ...claim, deed: 'x' } })).toMatchObject({
      outcome: 'full',
    });
  });

  it('takes its worker ID back once, and grants it no more', async () => {
    const store = staticLeaseStore({ workerId: 17, clock });
    await store.lease(request);
    const { workerId, deed } = grant;
    const release = { workerId, deed, lastUsedMs: NOW_MS + 5 };
    expect(await store.release({ ...release, deed: 'x' })).toEqual({ outcome: 'gone' });
    expect(await store.release(release)).toEqual({ outcome: 'released' });
    expect(await store.release(release)).toEqual({ outcome: 'gone' });
    expect((await store.inspect()).rows).toEqual([{ workerId, deed: '', reservedUntilMs: NOW_MS + 5 }]);
    expect(await store.lease(request)).toMatchObject({ outcome: 'full' });
  });

  it('shows its grant', async () => {
    const store = staticLeaseStore({ workerId: 17, clock });
    expect(await store.inspect()).toEqual({ storeNowMs: NOW_MS, rows: [] });
    await store.lease(request);
    const { workerId, deed, untilMs } = grant;
    const rows = [{ workerId, deed, reservedUntilMs: untilMs }];
    expect(await store.inspect()).toEqual({ storeNowMs: NOW_MS, layout: 'l', rows });
  });

  it.each([-1, 1.5, NaN, Infinity])('refuses worker ID %p', (workerId) => {
    expect(() => staticLeaseStore({ workerId })).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'workerId', value: workerId }),
    );
  });

  it.each([
    [1024, 0, 1024, '0..1023'],
    [3, 4, 8, '4..11'],
    [12, 4, 8, '4..11'],
  ])(
    'refuses worker ID %d in a layout of %d and %d more: %s',
    async (workerId, firstWorkerId, workerCount, bounds) => {
      const store = staticLeaseStore({ workerId, clock });
      await expect(store.lease({ ...request, firstWorkerId, workerCount })).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        value: workerId,
        message: expect.stringContaining(bounds),
      });
    },
  );

  it.each([
    [0, 0, 1024],
    [1023, 0, 1024],
    [4, 4, 8],
    [11, 4, 8],
  ])('accepts worker ID %d in a layout from %d with %d', async (workerId, firstWorkerId, workerCount) => {
    const reply = await staticLeaseStore({ workerId, clock }).lease({
      ...request,
      firstWorkerId,
      workerCount,
    });
    expect(reply).toMatchObject({ outcome: 'new', workerId });
  });
});
