/**
 * What the command line examines in Redis. It is not API and has no semver: any release can change it.
 *
 * @module
 */
export { type ConnectionMaker, connectionProfile } from './stores/redis/connection-profile.js';
export { inDatabase } from './stores/redis/database.js';
export { lua, readNow, redisServer, registryFormat } from './stores/redis/lua.js';
export { refusalSubject, type RefusalSubject, toStoreError } from './stores/redis/redis-errors.js';
export { proveArguments, type ServerTrust } from './stores/redis/redis-lease-store.js';
export { CLUSTER_RIGHT, leastRights, registryKey } from './stores/redis/registry-key.js';
export { serverRefusal } from './stores/redis/server-refusals.js';
export { readServer } from './stores/redis/server-script.js';
