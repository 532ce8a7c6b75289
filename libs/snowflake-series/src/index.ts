/**
 * A Nest module for document numbers without gaps.
 *
 * @module
 */
export {
  InvalidDateError,
  SeriesConflictError,
  SeriesExhaustedError,
  SeriesTransactionError,
  UnknownSeriesNumberError,
  VoidedSeriesNumberError,
} from './core/series-errors.js';
export type { SeriesOptions } from './core/series-options.js';
export type { SeriesReset } from './core/period.js';
export {
  createSeriesTables,
  CreateSnowflakeSeriesTables1767225600010,
} from './database/create-series-tables.js';
export { SeriesNumber, type SeriesNumberOptions } from './columns/series-number.js';
export { SeriesSubscriber } from './series/series-subscriber.js';
export type {
  SeriesAudit,
  SeriesAuditOptions,
  SeriesNextOptions,
  SeriesNumberTaken,
  SeriesPlace,
  SeriesRange,
  SeriesVoidOptions,
} from './database/series-types.js';
export {
  SeriesModule,
  type SeriesModuleAsyncOptions,
  type SeriesModuleExtras,
  type SeriesModuleOptions,
  type SeriesOptionsFactory,
} from './nest/series.module.js';
export { Series } from './series/series.js';
