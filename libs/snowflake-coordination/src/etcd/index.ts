/**
 * Leases worker IDs in etcd.
 *
 * @module
 */
export { etcdLeaseStore } from './etcd-lease-store.js';
export type { EtcdLeaseStoreOptions } from './etcd-options.js';
export type { ServerTlsOptions } from '../tls/server-tls.js';
