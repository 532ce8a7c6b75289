/**
 * The contract that tests your own segment store.
 *
 * @module
 */
export { segmentStoreContract, type SegmentStoresUnderTest } from './store-testing/segment-store-contract.js';
