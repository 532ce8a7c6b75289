/**
 * Leases worker IDs in Redis, Sentinel or Redis Cluster.
 *
 * @module
 */
export { redisLeaseStore } from './redis-lease-store.js';
export type { RedisLeaseStoreOptions } from './redis-options.js';
