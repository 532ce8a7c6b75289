export { etcdLeaseStore } from './stores/etcd/etcd-lease-store.js';
export type { EtcdLeaseStoreOptions } from './stores/etcd/etcd-options.js';
export type { ServerTlsOptions } from './stores/server-tls.js';
