export type {
  BitLayoutOptions,
  FieldName,
  Instant,
  LowerFieldName,
} from './core/layout/bit-layout-options.js';
export { BitLayout, DEFAULT_EPOCH, type BitField, type IdFields } from './core/layout/bit-layout.js';
export type { Clock, ScheduledTask } from './core/clock/clock.js';
export type { DecodedFields, DecodedId } from './core/ids/decoded-id.js';
export { IdDecoder, type IdRange } from './core/ids/decoder.js';
export {
  ClockRollbackError,
  LeaseExhaustedError,
  NotReadyError,
  SequenceExhaustedError,
  StoppedError,
  TimestampExhaustedError,
} from './core/errors/issuing-errors.js';
export { InvalidIdError, InvalidOptionError } from './core/errors/input-errors.js';
export { SnowflakeError, type SnowflakeErrorCode } from './core/errors/snowflake-error.js';
export { visible } from './core/errors/show-value.js';
export type {
  SequenceExhaustedPolicy,
  GeneratorOptions,
  ClockRollbackPolicy,
} from './core/generator/generator-options.js';
export { IdGenerator, type RollbackListener } from './core/generator/generator.js';
export type { IdDoubt } from './core/ids/id-doubts.js';
export type { IdSource } from './core/ids/id-source.js';
export { MAX_ID } from './core/ids/id-words.js';
export type { IssuingRight, TimestampWindow } from './core/generator/issuing-right.js';
export type { LayoutDemands } from './core/layout/layout-demands.js';
export type { FieldWidths } from './core/layout/layout-validation.js';
export {
  layoutPreset,
  layoutPresets,
  type LayoutPreset,
  type LayoutPresetName,
} from './core/layout/presets.js';
export type { SequenceStartPolicy } from './core/generator/sequence-start.js';
export { suggestLayout, type LayoutSuggestion } from './core/layout/suggest-layout.js';
export { systemClock } from './core/clock/system-clock.js';
