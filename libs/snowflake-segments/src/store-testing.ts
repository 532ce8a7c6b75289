/**
 * The contract that tests a segment store of your own.
 *
 * @module
 */
export { segmentStoreContract, type SegmentStoresUnderTest } from './store-testing/segment-store-contract.js';
