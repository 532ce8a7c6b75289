export { remoteLeaseStore } from './stores/remote/remote-lease-store.js';
export type { RemoteLeaseStoreOptions, RemoteServiceOptions } from './stores/remote/remote-options.js';
