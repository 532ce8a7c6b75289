export { memoryLeaseStore, type MemoryLeaseStoreOptions } from '../stores/memory/memory-lease-store.js';
export { MemoryRegistry } from '../stores/memory/memory-registry.js';
export type { ServerState } from '../stores/protocol/index.js';
export { fixedStoreContract, type FixedStoreUnderTest } from './fixed-store-contract.js';
export { leaseStoreContract } from './lease-store-contract.js';
export type { StoreUnderTest, TestFramework } from './store-under-test.js';
