import { backfillScript } from '../../../../libs/snowflake/src/stores/redis/backfill-script.js';
import { inspectScript } from '../../../../libs/snowflake/src/stores/redis/inspect-script.js';
import { leaseScript } from '../../../../libs/snowflake/src/stores/redis/lease-script.js';
import { lua, redisServer, type ServerSources } from '../../../../libs/snowflake/src/stores/redis/lua.js';
import {
  REDIS_MECHANISMS,
  type ScriptTexts,
} from '../../../../libs/snowflake/src/stores/redis/redis-connection.js';
import { RedisLeaseStore } from '../../../../libs/snowflake/src/stores/redis/redis-lease-store.js';
import { proveScript } from '../../../../libs/snowflake/src/stores/redis/prove-script.js';
import { releaseScript } from '../../../../libs/snowflake/src/stores/redis/release-script.js';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import {
  byReplicationIdAlone,
  byRunIdAlone,
  constantReplicationId,
} from '../../../integration/redis-store/altered-histories.js';
import { withoutAskingForToken, withoutFromInToken } from '../../../lease/support/altered-scripts.js';

/** Holds how many seconds are added to the server's clock under the variant `stepped clock`. */
export const CLOCK_OFFSET_KEY = 'test:clock-offset-seconds';

const steppedClock: ServerSources = {
  ...redisServer,
  time: lua`(function()
  local time = redis.call('TIME')
  local offset = tonumber(redis.call('GET', '${CLOCK_OFFSET_KEY}') or 0)
  return { string.format('%.0f', tonumber(time[1]) + offset), time[2] }
end)()`,
};

/** The scripts of production, but for one thing. */
const VARIANTS = {
  'stepped clock': (): ScriptTexts => ({
    lease: leaseScript(steppedClock),
    prove: proveScript(steppedClock),
    release: releaseScript(),
    inspect: inspectScript(steppedClock),
    backfill: backfillScript(steppedClock),
  }),
  'fencing token without from': (): ScriptTexts => ({
    ...REDIS_MECHANISMS,
    lease: withoutFromInToken(REDIS_MECHANISMS.lease),
  }),
  'constant replication ID': (): ScriptTexts => ({
    ...REDIS_MECHANISMS,
    lease: leaseScript(constantReplicationId),
  }),
  'constant replication ID alone': (): ScriptTexts => ({
    ...REDIS_MECHANISMS,
    lease: byReplicationIdAlone(leaseScript(constantReplicationId)),
  }),
  'run ID alone': (): ScriptTexts => ({
    ...REDIS_MECHANISMS,
    lease: byRunIdAlone(REDIS_MECHANISMS.lease),
  }),
  'release without fencing token': (): ScriptTexts => ({
    ...REDIS_MECHANISMS,
    release: withoutAskingForToken(REDIS_MECHANISMS.release),
  }),
};

export type ScriptVariant = keyof typeof VARIANTS;

/** A store with scripts of production, or those of a variant. */
export function storeWithScripts(
  options: RedisLeaseStoreOptions,
  variant: ScriptVariant | undefined,
): RedisLeaseStore {
  return new RedisLeaseStore(options, variant === undefined ? REDIS_MECHANISMS : VARIANTS[variant]());
}
