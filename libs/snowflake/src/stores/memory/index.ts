export type { ServerState } from './lease-call.js';
export { memoryLeaseStore, type MemoryLeaseStoreOptions } from './memory-lease-store.js';
export { MemoryRegistry } from './memory-registry.js';
