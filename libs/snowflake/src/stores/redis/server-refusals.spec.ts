import { StoreRejectedError } from '../../core/errors/index.js';
import { serverRefusal } from './server-refusals.js';

const STORE = 'redis namespace "shop"';

describe("a script's word on its server", () => {
  it.each([
    [['SERVER', 'dragonfly'], /is served by Dragonfly, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'garnet'], /is served by Garnet, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'kvrocks'], /is served by Apache Kvrocks, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'upstash'], /is served by Upstash, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'redict'], /is served by "redict".*assumeRedisHistory: \['redict'\]/],
    [['SERVER', 'constructor'], /is served by "constructor".*assumeRedisHistory: \['constructor'\]/],
    [['HIDDEN', 'run_id'], /doesn't show run_id in INFO server.*Connect to Redis itself/],
    [['HIDDEN', 'master_replid'], /doesn't show master_replid in INFO replication/],
    [['HIDDEN', 'sync_full'], /doesn't show sync_full in INFO stats/],
    [['ROLE', 'active-replica'], /has the role "active-replica".*With KeyDB set active-replica no/],
  ])('is an error for good that names the remedy: %j', (reply, message) => {
    const error = serverRefusal(reply, STORE);
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED', retryable: false });
    expect(error?.message).toMatch(message);
    expect(error?.message).toContain(STORE);
  });

  it('offers no way to vouch for a server that is known to be unsound', () => {
    expect(serverRefusal(['SERVER', 'dragonfly'], STORE)?.message).not.toContain('assumeRedisHistory');
  });

  it.each([[['NEW', '1']], [['OTHER']], [[]]])('is nothing else: %j', (reply) => {
    expect(serverRefusal(reply, STORE)).toBeUndefined();
  });
});
