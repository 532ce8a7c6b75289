export type { BitLayoutOptions, FieldName, Instant, LowerFieldName } from './core/bit-layout-options.js';
export { BitLayout, DEFAULT_EPOCH, type BitField, type IdFields } from './core/bit-layout.js';
export type { Clock, ScheduledTask } from './core/clock.js';
export type { DecodedFields, DecodedId } from './core/decoded-id.js';
export { IdDecoder, type IdRange } from './core/decoder.js';
export {
  ClockRollbackError,
  InvalidIdError,
  InvalidOptionError,
  LeaseExhaustedError,
  NotReadyError,
  SequenceExhaustedError,
  SnowflakeError,
  StoppedError,
  TimestampExhaustedError,
  type SnowflakeErrorCode,
} from './core/errors.js';
export type {
  SequenceExhaustedPolicy,
  GeneratorOptions,
  ClockRollbackPolicy,
} from './core/generator-options.js';
export { IdGenerator, type RollbackListener } from './core/generator.js';
export type { IdSource } from './core/id-source.js';
export { MAX_ID } from './core/id-words.js';
export type { IssuingRight, TimestampWindow } from './core/issuing-right.js';
export type { FieldWidths, LayoutDemands } from './core/layout-demands.js';
export { layoutPreset, layoutPresets, type LayoutPreset, type LayoutPresetName } from './core/presets.js';
export type { SequenceStartPolicy } from './core/sequence-start.js';
export { suggestLayout, type LayoutSuggestion } from './core/suggest-layout.js';
export { systemClock } from './core/system-clock.js';
