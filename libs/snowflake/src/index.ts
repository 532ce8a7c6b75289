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
  DuplicateInstanceError,
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
export type { LeaseEvent, LeaseListener, LeaseOptions, LeaseState, LeaseStore } from './lease/index.js';
export { SnowflakeIdMaker, type SnowflakeOptions, type SnowflakeStatus } from './maker/index.js';
export {
  getSnowflakeToken,
  idMakersIn,
  InjectSnowflake,
  SnowflakeModule,
  type SnowflakeModuleAsyncOptions,
  type SnowflakeModuleExtras,
  type SnowflakeModuleOptions,
  type SnowflakeOptionsFactory,
} from './nest/index.js';
export { withLocalWindow, type LocalWindowOptions } from './stores/local-window/index.js';
export { memoryLeaseStore, type MemoryLeaseStoreOptions } from './stores/memory/index.js';
export {
  environmentLeaseStore,
  type EnvironmentLeaseStoreOptions,
  kubernetesLeaseStore,
  type KubernetesLeaseStoreOptions,
  staticLeaseStore,
  type StaticLeaseStoreOptions,
} from './stores/fixed/fixed-worker-ids.js';
