export { joined, type Member, type Unannounced } from './membership.js';
export {
  type MemberStore,
  RegistrySegmentStore,
  type SegmentTransactions,
} from './registry-segment-store.js';
export type { Residue } from './segment-protocol.js';
export type {
  ClaimRow,
  Counter,
  Members,
  Membership,
  SegmentRegistry,
  TagState,
} from './segment-registry.js';
