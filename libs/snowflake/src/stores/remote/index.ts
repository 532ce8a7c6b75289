/**
 * Leases worker IDs from an ID service over HTTP, for processes that can't reach the store.
 *
 * @module
 */
export { remoteLeaseStore } from './remote-lease-store.js';
export type { RemoteLeaseStoreOptions, RemoteServiceOptions } from './remote-options.js';
