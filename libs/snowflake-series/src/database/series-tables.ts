import { defineTables } from 'nestjs-snowflake/internal/kit/sql/tables/tables';

const KEY_COLUMNS = 'series varchar(64) NOT NULL, scope varchar(128) NOT NULL, period varchar(16) NOT NULL';

/** The tables of series. */
export const SERIES_TABLES = defineTables({
  use: { holds: 'series', otherwise: 'hold the series in another DataSource' },
  defaultName: 'snowflake_series',
  tables: {
    /** Has a row per series, scope and period. */
    counters: {
      suffix: '',
      columns: `${KEY_COLUMNS}, last_number bigint NOT NULL, PRIMARY KEY (series, scope, period)`,
    },
    /** Has a row per document that was named when its number was taken. */
    documents: {
      suffix: '_document',
      columns:
        'series varchar(64) NOT NULL, scope varchar(128) NOT NULL, document varchar(128) NOT NULL,' +
        ' period varchar(16) NOT NULL, number bigint NOT NULL, PRIMARY KEY (series, scope, document)',
    },
    /** Has a row per number. */
    entries: {
      suffix: '_entry',
      columns:
        `${KEY_COLUMNS}, number bigint NOT NULL, text varchar(128) NOT NULL,` +
        ' document_date varchar(10) NOT NULL, document varchar(128), taken_at_ms bigint NOT NULL,' +
        ' void_reason varchar(255), voided_at_ms bigint, PRIMARY KEY (series, scope, period, number)',
      // It is unique, so that no change of a series can make a text again.
      index: { suffix: '_entry_by_text', columns: '(series, scope, text)', isUnique: true },
    },
  },
  remedies: {
    missingTables: 'Run the migration CreateSnowflakeSeriesTables1767225600010, or set createTable: true.',
    missingRights:
      'Grant its user SELECT, INSERT and UPDATE on the three tables, and CREATE if createTable is true.',
  },
  unsafeWithoutLocks: 'a number could be issued',
});

/** The names of the tables of series, by which statements find them. */
export type SeriesTableName = keyof typeof SERIES_TABLES.declaration.tables;
