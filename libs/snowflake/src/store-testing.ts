export { fixedStoreContract, type FixedStoreUnderTest } from './store-testing/fixed-store-contract.js';
export { leaseStoreContract } from './store-testing/lease-store-contract.js';
export type { StoreUnderTest, TestFramework } from './store-testing/store-under-test.js';
