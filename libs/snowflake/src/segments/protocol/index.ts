export { RegistrySegmentStore, type SegmentTransactions } from './registry-segment-store.js';
export type { Residue } from './segment-protocol.js';
export type { ClaimRow, Counter, SegmentRegistry, TagState } from './segment-registry.js';
