import { defineTables } from 'nestjs-snowflake/internal/kit/sql/tables/tables';

/** The tables of segments. */
export const SEGMENT_TABLES = defineTables({
  use: { holds: 'segments', otherwise: 'memorySegmentStore() in tests' },
  defaultName: 'snowflake_segment',
  tables: {
    /** Has a row per tag for what Leaf's table has no room for, and one without a tag for the history. */
    states: {
      suffix: '_state',
      columns:
        'biz_tag varchar(128) NOT NULL PRIMARY KEY, history_id varchar(255), lasting_id varchar(255),' +
        ' written_by varchar(32), known_until bigint, stride integer, remainder integer,' +
        ' member_id varchar(64), members text',
      history: { keptUnder: 'biz_tag' },
    },
    /** Has a row per tag, with the columns of Leaf's `leaf_alloc`. */
    counters: {
      suffix: '',
      columns: ({ hasOnUpdate }) =>
        "biz_tag varchar(128) NOT NULL DEFAULT '' PRIMARY KEY, max_id bigint NOT NULL DEFAULT 1, step integer NOT NULL," +
        ' description varchar(256) DEFAULT NULL,' +
        ` update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP${hasOnUpdate ? ' ON UPDATE CURRENT_TIMESTAMP' : ''}`,
    },
    /** Has a row per segment that is held, and per rest that was returned. */
    claims: {
      suffix: '_claim',
      columns:
        'token varchar(64) NOT NULL PRIMARY KEY, biz_tag varchar(128) NOT NULL, first_number bigint NOT NULL,' +
        ' size bigint NOT NULL, state varchar(8) NOT NULL',
      // Finds the lowest rest.
      index: { suffix: '_by_first', columns: '(biz_tag, state, first_number)' },
    },
  },
  remedies: {
    missingTables: 'Run the migration CreateSnowflakeSegmentTables1767225600002, or set createTable: true.',
    missingRights:
      'Grant its user SELECT, INSERT, UPDATE and DELETE on the three tables, and CREATE if createTable is true.',
    noHistory: 'If this database never loses an acknowledged commit, set assumeNoLostWrites: true.',
    toChangeSettings:
      "To change these settings permanently, first set possibleLoss: 'refuseRestarts' and call resume().",
  },
  unsafeWithoutLocks: 'a segment could be granted',
});

/** The names of the tables of segments, by which statements find them. */
export type SegmentTableName = keyof typeof SEGMENT_TABLES.declaration.tables;
