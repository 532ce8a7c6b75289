import type { LeaseRequest } from '../../lease/lease-store.js';
import { staticLeaseStore, type StaticLeaseStoreOptions } from './fixed-worker-ids.js';

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
  assumeNew: false,
  searchSeed: 0,
};

// What it has in common with all stores of one grant is tested by their contract, in store-testing/fixed-store-contract.spec.ts.
describe('staticLeaseStore', () => {
  it('begins its grant at the time of its clock, under a fencing token that names both holder and time', async () => {
    expect(await staticLeaseStore({ workerId: 17, clock }).lease(request)).toEqual({
      outcome: 'new',
      workerId: 17,
      fencingToken: `nonce@${NOW_MS}`,
      fromMs: NOW_MS,
      untilMs: Number.MAX_SAFE_INTEGER,
      storeNowMs: NOW_MS,
    });
  });

  it.each([-1, 1.5, NaN, Infinity])('refuses worker ID %p', (workerId) => {
    expect(() => staticLeaseStore({ workerId })).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'workerId', value: workerId }),
    );
  });

  it.each([
    ['staticLeaseStore', undefined],
    ['staticLeaseStore', null],
    ['staticLeaseStore', 7],
    ['staticLeaseStore.workerID', { workerID: 7 }],
    ['staticLeaseStore.namespace', { workerId: 7, namespace: 'shop' }],
  ])('refuses a wrong %s: %j', (option, options) => {
    expect(() => staticLeaseStore(options as StaticLeaseStoreOptions)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
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
