export { segmentStoreContract, type SegmentStoresUnderTest } from './store-testing/segment-store-contract.js';
