export { etcdLeaseStore } from './stores/etcd/etcd-lease-store.js';
export type { EtcdLeaseStoreOptions, EtcdTlsOptions } from './stores/etcd/etcd-options.js';
