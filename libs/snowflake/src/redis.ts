export { redisLeaseStore } from './stores/redis/redis-lease-store.js';
export type { RedisLeaseStoreOptions } from './stores/redis/redis-options.js';
