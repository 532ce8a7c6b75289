export {
  InvalidDateError,
  SeriesConflictError,
  SeriesExhaustedError,
  SeriesTransactionError,
  UnknownSeriesNumberError,
  VoidedSeriesNumberError,
} from '../core/errors/series-errors.js';
export type { SeriesOptions } from '../core/series/series-options.js';
export type { SeriesReset } from '../core/series/period.js';
export { createSeriesTables, CreateSnowflakeSeriesTables1767225600010 } from './create-series-tables.js';
export { SeriesNumber, type SeriesNumberOptions } from './series-number.js';
export { SeriesSubscriber } from './series-subscriber.js';
export type {
  SeriesAudit,
  SeriesAuditOptions,
  SeriesNextOptions,
  SeriesNumberTaken,
  SeriesPlace,
  SeriesRange,
  SeriesVoidOptions,
} from './series-types.js';
export {
  SeriesModule,
  type SeriesModuleAsyncOptions,
  type SeriesModuleExtras,
  type SeriesModuleOptions,
  type SeriesOptionsFactory,
} from './series.module.js';
export { Series } from './series.js';
