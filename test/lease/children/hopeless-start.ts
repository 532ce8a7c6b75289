/** A process that starts an ID maker and has nothing else to do. Its Redis client ends for good at once: no TLS key. */
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { redisLeaseStore } from 'nestjs-snowflake/redis';

const url = process.argv[2] ?? '';
const ids = new SnowflakeIdMaker({
  store: redisLeaseStore({ url, namespace: 'hopeless', options: { tls: { key: 'none', cert: 'none' } } }),
  lease: { possibleLoss: 'ignore', acquireTimeoutMs: 1500 },
});
// The top level doesn't await it, as in a bootstrap(): Node shows an unsettled top-level await by its exit code.
ids.start().then(
  () => process.send?.({ outcome: 'started' }),
  (error: { code?: string }) => process.send?.({ outcome: error.code }),
);
