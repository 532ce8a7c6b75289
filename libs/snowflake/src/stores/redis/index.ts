export { redisLeaseStore } from './redis-lease-store.js';
export type { RedisLeaseStoreOptions } from './redis-options.js';
