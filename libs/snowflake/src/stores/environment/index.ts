export { environmentLeaseStore, type EnvironmentLeaseStoreOptions } from './environment-lease-store.js';
