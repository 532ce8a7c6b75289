/**
 * What your own lease store implements, and the contract that tests it.
 *
 * @module
 */
export {
  type BackfillRefusal,
  BackfillRefusedError,
  StoreCorruptError,
  StoreRejectedError,
  StoreUnavailableError,
} from '../../core/errors/lease-errors.js';
export type { PossibleLossPolicy } from '../../lease/lease-options.js';
export type {
  BackfillReply,
  BackfillRequest,
  CallDeadline,
  LeaseClaim,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistryRow,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
  UnreadableField,
} from '../../lease/lease-store.js';
export {
  registryOverview,
  type RegistryOverview,
  type WorkerOverview,
  type WorkerState,
} from '../../lease/registry-overview.js';
export { MemoryRegistry } from '../memory/memory-registry.js';
export type { ServerState } from '../protocol/lease-registry.js';
export type { CorruptReply } from '../protocol/registry-calls.js';
export { fixedStoreContract, type FixedStoreUnderTest } from './fixed-store-contract.js';
export { leaseStoreContract } from './lease-store-contract.js';
export type { StoreUnderTest, TestFramework } from './store-under-test.js';
