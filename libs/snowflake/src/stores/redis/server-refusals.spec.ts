import { StoreRejectedError } from '../../core/errors/index.js';
import { serverRefusal } from './server-refusals.js';

const STORE = 'redis namespace "shop"';

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
