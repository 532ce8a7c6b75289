import type { LeaseRequest } from '../lease/lease-store.js';
import { checkLeaseRequest, checkReleaseRequest } from './check-request.js';

const request: LeaseRequest = {
  layout: 'l',
  firstWorkerId: 0,
  workerCount: 1024,
  windowMs: 60_000,
  maxSkewMs: 5_000,
  nonce: '0123456789abcdef:host',
  retry: false,
  assumeNew: false,
  searchSeed: 0,
};
const claim = { workerId: 0, fencingToken: 'n@1', untilMs: 1 };

describe('a lease request', () => {
  it.each<[string, Partial<LeaseRequest>]>([
    ['as it should be', {}],
    ['with a claim', { claim }],
    ['with the largest range', { firstWorkerId: 1, workerCount: 2 ** 31 - 1 }],
  ])('accepts a lease request: %s', (_, changes) => {
    expect(() => checkLeaseRequest({ ...request, ...changes })).not.toThrow();
  });

  it.each<[string, Partial<LeaseRequest>]>([
    ['layout', { layout: '' }],
    ['layout', { layout: 'x'.repeat(1001) }],
    ['firstWorkerId', { firstWorkerId: -1 }],
    ['workerCount', { workerCount: 0 }],
    ['workerCount', { firstWorkerId: 1, workerCount: 2 ** 31 }],
    ['windowMs', { windowMs: 0.5 }],
    ['windowMs', { windowMs: NaN }],
    ['maxSkewMs', { maxSkewMs: -1 }],
    ['searchSeed', { searchSeed: 2 ** 31 }],
    ['nonce', { nonce: '' }],
    ['nonce', { nonce: 'name@host' }],
    ['claim.workerId', { claim: { ...claim, workerId: 1.5 } }],
    ['claim.untilMs', { claim: { ...claim, untilMs: Number.MAX_SAFE_INTEGER } }],
    ['claim.fencingToken', { claim: { ...claim, fencingToken: '' } }],
  ])('refuses a lease request for its %s: %j', (option, changes) => {
    const call = () => checkLeaseRequest({ ...request, ...changes });
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }));
  });
});

describe('a release request', () => {
  it('accepts a release as it should be', () => {
    expect(() => checkReleaseRequest({ workerId: 0, fencingToken: 'n@1', lastUsedMs: 0 })).not.toThrow();
  });

  it.each([
    ['workerId', { workerId: -1 }],
    ['lastUsedMs', { lastUsedMs: -1 }],
    ['lastUsedMs', { lastUsedMs: 1e15 }],
  ])('refuses a release request for its %s: %j', (option, changes) => {
    const call = () => checkReleaseRequest({ workerId: 0, fencingToken: 'n@1', lastUsedMs: 0, ...changes });
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }));
  });
});
