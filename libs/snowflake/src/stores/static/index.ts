export { staticLeaseStore, type StaticLeaseStoreOptions } from './static-lease-store.js';
