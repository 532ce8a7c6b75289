export { zookeeperLeaseStore } from './stores/zookeeper/zookeeper-lease-store.js';
export type { ZookeeperLeaseStoreOptions, ZookeeperUser } from './stores/zookeeper/zookeeper-options.js';
export type { ServerTlsOptions } from './stores/server-tls.js';
