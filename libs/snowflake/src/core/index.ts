export * from './layout/bit-layout-options.js';
export { BitLayout, DEFAULT_EPOCH, type BitField, type IdFields } from './layout/bit-layout.js';
export type { Clock, ScheduledTask } from './clock/clock.js';
export { DecodedId, type DecodedFields } from './ids/decoded-id.js';
export type { IdDoubt } from './ids/id-doubts.js';
export { IdDecoder, type IdRange } from './ids/decoder.js';
export * from './errors/index.js';
export { visible } from './errors/show-value.js';
export {
  type ClockRollbackPolicy,
  GENERATOR_OPTIONS,
  type GeneratorOptions,
  type SequenceExhaustedPolicy,
} from './generator/generator-options.js';
export type { SequenceStartPolicy } from './generator/sequence-start.js';
export { IdGenerator } from './generator/generator.js';
export type { IssuingRight, TimestampWindow } from './generator/issuing-right.js';
export type { IdSource } from './ids/id-source.js';
export { DEFAULT_INSTANCE, type IdSourceName } from './ids/id-source-name.js';
export { type FieldWidths, LAYOUT_OPTIONS } from './layout/layout-validation.js';
export { MAX_ID, wordsOf, type IdWords } from './ids/id-words.js';
export {
  requireBoolean,
  requireChoice,
  requireClock,
  requireFunction,
  requireMethods,
  requireObject,
  requireOptions,
  requireText,
  requireWholeNumber,
} from './options/option-checks.js';
export {
  callback,
  type Checked,
  checkedBy,
  checkedOptions,
  clockWith,
  fitting,
  flag,
  oneOf,
  type OptionRule,
  type OptionRules,
  text,
  unchecked,
  wholeNumber,
} from './options/option-rule.js';
export { isSpaceName } from './options/space-name.js';
export type { LayoutDemands } from './layout/layout-demands.js';
export { layoutOf } from './layout/layout-of.js';
export { ClientIdReader, CLIENT_ID_OPTIONS, type ClientIdReading } from './client-ids/client-id-reader.js';
export type { ClientIdOptions } from './client-ids/client-id-options.js';
export { layoutPreset, layoutPresets, type LayoutPreset, type LayoutPresetName } from './layout/presets.js';
export { memoryOf } from './process-memory.js';
export { suggestLayout, type LayoutSuggestion } from './layout/suggest-layout.js';
export * from './segments/index.js';
export { systemClock } from './clock/system-clock.js';
