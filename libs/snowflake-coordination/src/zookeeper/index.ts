/**
 * Leases worker IDs in ZooKeeper.
 *
 * @module
 */
export { zookeeperLeaseStore } from './zookeeper-lease-store.js';
export type { ZookeeperLeaseStoreOptions, ZookeeperUser } from './zookeeper-options.js';
export type { ServerTlsOptions } from '../tls/server-tls.js';
