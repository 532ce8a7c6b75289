export { fixedStoreContract, type FixedStoreUnderTest } from './fixed-store-contract.js';
export { leaseStoreContract } from './lease-store-contract.js';
export { segmentStoreContract, type SegmentStoresUnderTest } from './segment-store-contract.js';
export type { StoreUnderTest, TestFramework } from './store-under-test.js';
