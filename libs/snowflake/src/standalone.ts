export type {
  BitLayoutOptions,
  DecodedId,
  GeneratorOptions,
  IdRange,
  Instant,
  LayoutPresetName,
  SnowflakeErrorCode,
} from './core/index.js';
export {
  AcquireTimeoutError,
  ClockRollbackError,
  ClockSkewError,
  InvalidIdError,
  InvalidOptionError,
  LayoutMismatchError,
  LeaseExhaustedError,
  NotReadyError,
  SequenceExhaustedError,
  SnowflakeError,
  StoppedError,
  StoreCorruptError,
  StoreRejectedError,
  StoreUnavailableError,
  TimestampExhaustedError,
  WorkerIdsExhaustedError,
} from './core/index.js';
export type {
  CallDeadline,
  LeaseClaim,
  LeaseEvent,
  LeaseListener,
  LeaseOptions,
  LeaseReply,
  LeaseRequest,
  LeaseState,
  LeaseStore,
  LeaseTimingOptions,
  RegistryRow,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  RenewalSchedule,
  StoreSettings,
  PossibleLossPolicy,
  UnreadableField,
} from './lease/index.js';
export {
  registryOverview,
  type RegistryOverview,
  type WorkerOverview,
  type WorkerState,
} from './lease/index.js';
export {
  SnowflakeIdMaker,
  type SnowflakeOptions,
  type SnowflakeStatus,
  type SnowflakeDependencies,
} from './maker/index.js';
export { withLocalWindow, type LocalWindowOptions } from './stores/local-window/index.js';
export {
  memoryLeaseStore,
  MemoryRegistry,
  type CorruptReply,
  type MemoryLeaseStoreOptions,
  type ServerState,
} from './stores/memory/index.js';
export {
  environmentLeaseStore,
  type EnvironmentLeaseStoreOptions,
  kubernetesLeaseStore,
  type KubernetesLeaseStoreOptions,
  staticLeaseStore,
  type StaticLeaseStoreOptions,
} from './stores/fixed/fixed-worker-ids.js';
