/**
 * Bit layouts, the decoder, the generator and the codecs. Pure code without I/O, which also runs in browsers
 * and at the edge.
 *
 * @module
 */
export type { BitLayoutOptions, FieldName, Instant, LowerFieldName } from './layout/bit-layout-options.js';
export { BitLayout, DEFAULT_EPOCH, type BitField, type IdFields } from './layout/bit-layout.js';
export type { Clock, ScheduledTask } from './clock/clock.js';
export type { DecodedFields, DecodedId } from './ids/decoded-id.js';
export { IdDecoder, type IdRange } from './ids/decoder.js';
export {
  ClockRollbackError,
  LeaseExhaustedError,
  NotReadyError,
  SequenceExhaustedError,
  StoppedError,
  TimestampExhaustedError,
} from './errors/issuing-errors.js';
export { InvalidIdError, InvalidOptionError } from './errors/input-errors.js';
export { SnowflakeError, type SnowflakeErrorCode } from './errors/snowflake-error.js';
export { visible } from './errors/show-value.js';
export type {
  SequenceExhaustedPolicy,
  GeneratorOptions,
  ClockRollbackPolicy,
} from './generator/generator-options.js';
export { IdGenerator, type RollbackListener } from './generator/generator.js';
export type { IdDoubt } from './ids/id-doubts.js';
export type { IdSource } from './ids/id-source.js';
export { MAX_ID } from './ids/id-words.js';
export type { IssuingRight, TimestampWindow } from './generator/issuing-right.js';
export type { LayoutDemands } from './layout/layout-demands.js';
export type { FieldWidths } from './layout/layout-validation.js';
export { layoutPreset, layoutPresets, type LayoutPreset, type LayoutPresetName } from './layout/presets.js';
export type { SequenceStartPolicy } from './generator/sequence-start.js';
export { suggestLayout, type LayoutSuggestion } from './layout/suggest-layout.js';
export { systemClock } from './clock/system-clock.js';
export { bytesCodec } from './codecs/bytes-codec.js';
export type { IdCodec } from './codecs/id-codec.js';
export { prefixedCodec, type PrefixedCodec, type PrefixedId } from './codecs/prefixed-codec.js';
export {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  sortableDecimalCodec,
  type PaddingOptions,
} from './codecs/radix-codecs.js';
export { readableCodec } from './codecs/readable-codec.js';
export { uuidCodec } from './codecs/uuid-codec.js';
