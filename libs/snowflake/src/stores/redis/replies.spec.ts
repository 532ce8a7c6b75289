import { toLeaseReply, toReleaseReply, toReplicationProof, toSnapshot } from './replies.js';
import { StoreRejectedError } from '../../core/errors/lease-errors.js';
import { serverRefusal } from './server-refusals.js';

const STORE = 'redis namespace "shop"';
const REJECTED = expect.objectContaining({
  code: 'SNOWFLAKE_STORE_REJECTED',
  message: expect.stringContaining(STORE),
});

describe('replies of the scripts', () => {
  it.each([
    [['KEPT', '5', '65'], { outcome: 'kept', storeNowMs: 5, untilMs: 65 }],
    [
      ['NEW', '5', '17', 'n@4', '4', '65'],
      { outcome: 'new', storeNowMs: 5, workerId: 17, fencingToken: 'n@4', fromMs: 4, untilMs: 65 },
    ],
    [['WAIT', '5', '65', 'empty'], { outcome: 'wait', storeNowMs: 5, waitMs: 65, reason: 'empty' }],
    [['WAIT', '5', '65', 'history'], { outcome: 'wait', storeNowMs: 5, waitMs: 65, reason: 'history' }],
    [['FULL', '5', '60'], { outcome: 'full', storeNowMs: 5, nextFreeInMs: 60 }],
    [['ALONE', '5', '0'], { outcome: 'alone', storeNowMs: 5, replicas: 0 }],
    [['LAYOUT', 'other'], { outcome: 'layout', storedLayout: 'other' }],
    [['CORRUPT', 'grantsAfter', 'x'], { outcome: 'corrupt', field: 'grantsAfter', stored: 'x' }],
  ])('reads the reply to lease: %j', (reply, expected) => {
    expect(toLeaseReply(reply, STORE)).toEqual(expected);
  });

  it.each([
    [[]],
    [['OTHER']],
    [['KEPT']],
    [['KEPT', '5', 'x']],
    [['NEW', '5', '17']],
    [['HIDDEN', 'run_id']],
  ])('refuses the reply to lease: %j', (reply) => {
    expect(() => toLeaseReply(reply, STORE)).toThrow(REJECTED);
  });

  it('reads the reply to a proof of replication, and refuses others', () => {
    const proof = { storeNowMs: 5, historyId: 'r', offset: '9007199254740993' };
    expect(toReplicationProof(['PROOF', '5', 'r', '9007199254740993'], STORE)).toEqual(proof);
    for (const reply of [['HIDDEN', 'run_id'], ['PROOF', '5', 'r'], ['OTHER']]) {
      expect(() => toReplicationProof(reply, STORE)).toThrow(REJECTED);
    }
  });

  it('reads the reply to release, and refuses others', () => {
    expect(toReleaseReply(['RELEASED'], STORE)).toEqual({ outcome: 'released' });
    expect(toReleaseReply(['GONE'], STORE)).toEqual({ outcome: 'gone' });
    expect(() => toReleaseReply(['OTHER'], STORE)).toThrow(REJECTED);
    const corrupt = expect.objectContaining({ code: 'SNOWFLAKE_STORE_CORRUPT', field: '3', stored: 'x' });
    expect(() => toReleaseReply(['CORRUPT', '3', 'x'], STORE)).toThrow(corrupt);
  });

  it('reads the reply to inspect, and refuses others', () => {
    const rows = [{ workerId: 3, reservedUntilMs: 9, fencingToken: 'n@4' }];
    expect(toSnapshot(['5', 'layout', 'l', '3', '9 n@4'], STORE)).toEqual({
      storeNowMs: 5,
      layout: 'l',
      rows,
    });
    expect(() => toSnapshot([], STORE)).toThrow(REJECTED);
    expect(() => toSnapshot(['5', 'layout'], STORE)).toThrow(REJECTED);
  });
});

describe('a reply that refuses the server', () => {
  it.each([
    [['SERVER', 'dragonfly'], /runs on Dragonfly, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'garnet'], /runs on Garnet, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'kvrocks'], /runs on Apache Kvrocks, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'upstash'], /runs on Upstash, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'redict'], /runs on "redict".*assumeNoLostWrites: true/],
    [['SERVER', 'constructor'], /runs on "constructor".*assumeNoLostWrites: true/],
    [['HIDDEN', 'run_id'], /doesn't show run_id in INFO server.*Connect to Redis directly/],
    [['HIDDEN', 'master_replid'], /doesn't show master_replid in INFO replication/],
    [['HIDDEN', 'sync_full'], /doesn't show sync_full in INFO stats/],
    [['LOSSY', 'appendonly', 'no'], /assumeNoLostWrites.*appendonly is no.*appendfsync always/],
    [['LOSSY', 'maxmemory-policy', 'allkeys-lru'], /assumeNoLostWrites.*allkeys-lru.*noeviction/],
    [['ROLE', 'active-replica'], /has the role "active-replica".*On KeyDB, set active-replica no/],
  ])('makes a permanent error that names the remedy: %j', (reply, message) => {
    const error = serverRefusal(reply, STORE);
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED', retryable: false });
    expect(error?.message).toMatch(message);
    expect(error?.message).toContain(STORE);
  });

  it('offers no way to vouch for a server that is known to be unsound', () => {
    expect(serverRefusal(['SERVER', 'dragonfly'], STORE)?.message).not.toContain('assumeNoLostWrites');
  });

  it.each([[['NEW', '1']], [['OTHER']], [[]]])('assumes no refusal for another reply: %j', (reply) => {
    expect(serverRefusal(reply, STORE)).toBeUndefined();
  });
});
