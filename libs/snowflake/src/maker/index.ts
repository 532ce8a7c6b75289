/**
 * IDs without Nest. `nestjs-snowflake` exports the same and the Nest module, so it can't be imported without Nest.
 *
 * @module
 */
export type { BitLayoutOptions, Instant } from '../core/layout/bit-layout-options.js';
export type { DecodedId } from '../core/ids/decoded-id.js';
export type { GeneratorOptions } from '../core/generator/generator-options.js';
export type { IdRange } from '../core/ids/decoder.js';
export type { LayoutPresetName } from '../core/layout/presets.js';
export type { SnowflakeErrorCode } from '../core/errors/snowflake-error.js';
export {
  AcquireTimeoutError,
  ClockSkewError,
  LayoutMismatchError,
  StoreCorruptError,
  StoreRejectedError,
  StoreUnavailableError,
  WorkerIdsExhaustedError,
} from '../core/errors/lease-errors.js';
export {
  ClockRollbackError,
  LeaseExhaustedError,
  NotReadyError,
  SequenceExhaustedError,
  StoppedError,
  TimestampExhaustedError,
} from '../core/errors/issuing-errors.js';
export { UnboundMakerError } from '../core/errors/setup-errors.js';
export { InvalidIdError, InvalidOptionError } from '../core/errors/input-errors.js';
export { SnowflakeError } from '../core/errors/snowflake-error.js';
export type { LeaseStore } from '../lease/lease-store.js';
export type { LeaseEvent, LeaseListener, LeaseState } from '../lease/lease-events.js';
export type { BackfillOptions } from '../lease/backfill.js';
export type { LeaseOptions } from '../lease/lease-options.js';
export type { LeaseTimingOptions } from '../lease/lease-options.js';
export { LateIdMaker } from './late-id-maker.js';
export { SnowflakeIdMaker } from './snowflake-id-maker.js';
export type { SnowflakeOptions, SnowflakeDependencies } from './snowflake-options.js';
export type { SnowflakeStatus } from './snowflake-status.js';
export { withLocalWindow, type LocalWindowOptions } from '../stores/local-window/with-local-window.js';
export { memoryLeaseStore, type MemoryLeaseStoreOptions } from '../stores/memory/memory-lease-store.js';
export {
  environmentLeaseStore,
  type EnvironmentLeaseStoreOptions,
  kubernetesLeaseStore,
  type KubernetesLeaseStoreOptions,
  staticLeaseStore,
  type StaticLeaseStoreOptions,
} from '../stores/fixed/fixed-worker-ids.js';
