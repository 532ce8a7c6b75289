export { remoteLeaseStore } from './remote-lease-store.js';
export type { RemoteLeaseStoreOptions, RemoteServiceOptions } from './remote-options.js';
