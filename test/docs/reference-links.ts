/** Types that have their own section, by its page below `docs/`. */
export const TYPE_SECTIONS: Readonly<Record<string, string>> = {
  BitLayoutOptions: 'reference/options.md#bit-layout',
  LayoutPresetName: 'reference/layouts.md#presets',
  LeaseOptions: 'reference/options.md#lease',
  LeaseStore: 'stores/your-own.md',
};

/** Options that several types inherit, by the section below `docs/` that lists them. */
export const SHARED_OPTIONS: Readonly<Record<string, string>> = {
  SqlStoreOptions: 'reference/store-options.md#sqlleasestore',
};

const AUTO_INCREMENT = 'guides/migrating-from-auto-increment.md';
const SEVERAL_INSTANCES = 'guides/several-instances.md';

/** Where a reader finds more about an error, below `docs/`. */
export const MORE_ABOUT_ERRORS: Readonly<Record<string, readonly string[]>> = {
  SNOWFLAKE_INVALID_OPTION: ['reference/options.md'],
  SNOWFLAKE_INVALID_ID: ['guides/validation.md'],
  SNOWFLAKE_TIMESTAMP_EXHAUSTED: ['reference/layouts.md#the-end-of-a-layout'],
  SNOWFLAKE_CLOCK_ROLLBACK: ['explanation/how-it-works.md#clock-rollback'],
  SNOWFLAKE_STOPPED: ['guides/deploy.md#shutdown'],
  SNOWFLAKE_WORKER_IDS_EXHAUSTED: ['operations/production-checklist.md#sizing'],
  SNOWFLAKE_STORE_REJECTED: ['stores/redis.md', 'stores/sql.md'],
  SNOWFLAKE_STORE_CORRUPT: ['operations/problems.md#the-registry-is-unreadable'],
  SNOWFLAKE_BACKFILL_REFUSED: ['guides/backfill.md'],
  SNOWFLAKE_SEGMENT_EXHAUSTED: ['guides/segments.md'],
  SNOWFLAKE_UNKNOWN_TAG: ['guides/segments.md'],
  SNOWFLAKE_HISTORY_CHANGED: ['guides/segments.md#resume-after-a-loss'],
  SNOWFLAKE_DUPLICATE_INSTANCE: [SEVERAL_INSTANCES],
  SNOWFLAKE_UNKNOWN_INSTANCE: [SEVERAL_INSTANCES],
  SNOWFLAKE_MISSING_SUBSCRIBER: ['guides/typeorm.md'],
  SNOWFLAKE_UNBOUND_MAKER: ['guides/other-orms.md'],
  SNOWFLAKE_LOSSY_DRIVER: ['guides/typeorm.md', 'guides/other-orms.md'],
  SNOWFLAKE_COLUMN_TYPE: [AUTO_INCREMENT],
  SNOWFLAKE_COLUMN_DROP: [AUTO_INCREMENT],
  SNOWFLAKE_SERIES_TRANSACTION: ['reference/series.md#transactions'],
  SNOWFLAKE_SERIES_CONFLICT: ['reference/series.md#transactions'],
  SNOWFLAKE_SERIES_EXHAUSTED: ['guides/document-numbers.md#write-a-format'],
  SNOWFLAKE_UNKNOWN_SERIES_NUMBER: ['reference/series.md#find-gaps'],
  SNOWFLAKE_VOIDED_SERIES_NUMBER: ['reference/series.md#find-gaps'],
  SNOWFLAKE_INVALID_DATE: ['guides/document-numbers.md#write-a-format'],
};
