/** Types that have their own section. */
export const TYPE_SECTIONS: Readonly<Record<string, string>> = {
  BitLayoutOptions: '#bit-layout',
  LayoutPresetName: 'layouts.md#presets',
  LeaseOptions: '#lease',
  LeaseStore: '../stores/your-own.md',
};

/** Where a reader finds more about an error. */
export const MORE_ABOUT_ERRORS: Readonly<Record<string, string>> = {
  SNOWFLAKE_INVALID_OPTION: '[Options](options.md)',
  SNOWFLAKE_INVALID_ID: '[Validation and HTTP](../guides/validation.md)',
  SNOWFLAKE_TIMESTAMP_EXHAUSTED: '[Layouts](layouts.md#the-end-of-a-layout)',
  SNOWFLAKE_CLOCK_ROLLBACK: '[Clock rollback](../explanation/how-it-works.md)',
  SNOWFLAKE_STOPPED: '[Shutdown](../guides/deploy.md)',
  SNOWFLAKE_WORKER_IDS_EXHAUSTED: '[Production checklist](../operations/production-checklist.md)',
  SNOWFLAKE_STORE_REJECTED: '[Redis](../stores/redis.md), [SQL](../stores/sql.md)',
  SNOWFLAKE_BACKFILL_REFUSED: '[IDs for past instants](../guides/backfill.md)',
  SNOWFLAKE_SEGMENT_EXHAUSTED: '[Segments](../guides/segments.md)',
  SNOWFLAKE_UNKNOWN_TAG: '[Segments](../guides/segments.md)',
  SNOWFLAKE_HISTORY_CHANGED: '[Segments](../guides/segments.md#resume-after-a-loss)',
  SNOWFLAKE_DUPLICATE_INSTANCE: '[Several instances](../guides/several-instances.md)',
  SNOWFLAKE_UNKNOWN_INSTANCE: '[Several instances](../guides/several-instances.md)',
  SNOWFLAKE_MISSING_SUBSCRIBER: '[TypeORM](../guides/typeorm.md)',
  SNOWFLAKE_UNBOUND_MAKER: '[Other ORMs](../guides/other-orms.md)',
  SNOWFLAKE_LOSSY_DRIVER: '[TypeORM](../guides/typeorm.md) or [Other ORMs](../guides/other-orms.md)',
  SNOWFLAKE_COLUMN_TYPE: '[Migrating from auto-increment](../guides/migrating-from-auto-increment.md)',
  SNOWFLAKE_COLUMN_DROP: '[Migrating from auto-increment](../guides/migrating-from-auto-increment.md)',
  SNOWFLAKE_SERIES_TRANSACTION: '[Document numbers](../guides/document-numbers.md)',
  SNOWFLAKE_SERIES_CONFLICT: '[Document numbers](../guides/document-numbers.md)',
  SNOWFLAKE_SERIES_EXHAUSTED: '[Document numbers](../guides/document-numbers.md#write-a-format)',
  SNOWFLAKE_UNKNOWN_SERIES_NUMBER: '[Document numbers](../guides/document-numbers.md#find-gaps)',
  SNOWFLAKE_VOIDED_SERIES_NUMBER: '[Document numbers](../guides/document-numbers.md#find-gaps)',
  SNOWFLAKE_INVALID_DATE: '[Document numbers](../guides/document-numbers.md#write-a-format)',
};
