export type { CorruptReply, ServerState } from '../protocol/index.js';
export { memoryLeaseStore, type MemoryLeaseStoreOptions } from './memory-lease-store.js';
export { MemoryRegistry } from './memory-registry.js';
