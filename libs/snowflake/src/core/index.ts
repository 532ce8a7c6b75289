export * from './bit-layout-options.js';
export { BitLayout, DEFAULT_EPOCH, type BitField, type IdFields } from './bit-layout.js';
export type { Clock, ScheduledTask } from './clock.js';
export {
  DATA_SOURCE_INTEGRATION,
  DEFAULT_GENERATOR,
  type DataSourceIntegration,
} from './data-source-integration.js';
export { DecodedId, type DecodedFields } from './decoded-id.js';
export { IdDecoder, type IdRange } from './decoder.js';
export * from './errors.js';
export type { SequenceExhaustedPolicy, GeneratorOptions, ClockRollbackPolicy } from './generator-options.js';
export type { SequenceStartPolicy } from './sequence-start.js';
export { IdGenerator } from './generator.js';
export type { IssuingRight, TimestampWindow } from './issuing-right.js';
export { LogicalClock } from './logical-clock.js';
export type { IdSource } from './id-source.js';
export { MAX_ID, wordsOf, type IdWords } from './id-words.js';
export { requireBoolean, requireChoice, requireOptions, requireWholeNumber } from './option-checks.js';
export type { FieldWidths, LayoutDemands } from './layout-demands.js';
export { layoutPreset, layoutPresets, type LayoutPreset, type LayoutPresetName } from './presets.js';
export { suggestLayout, type LayoutSuggestion } from './suggest-layout.js';
export { systemClock } from './system-clock.js';
