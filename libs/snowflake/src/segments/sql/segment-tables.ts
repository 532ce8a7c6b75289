import type { DatabaseOptions } from '../../kit/sql/database-options.js';
import type { HistoryTable, SqlDialect } from '../../kit/sql/dialect.js';

/** The default name of the table of counters. */
export const DEFAULT_TABLE_NAME = 'snowflake_segment';

/** The quoted names of a store's tables. */
export interface SegmentTables {
  /** Has a row per tag, with the columns of Leaf's `leaf_alloc`. */
  readonly counters: string;
  /** Has a row per tag for what Leaf's table has no room for, and one without a tag for the history. */
  readonly states: string;
  /** Has a row per segment that is held, and per rest that was given back. */
  readonly claims: string;
  /** The index that finds the lowest rest. */
  readonly index: string;
  /** The names of the tables as a catalogue lists them. */
  readonly names: {
    readonly schema?: string;
    readonly counters: string;
    readonly states: string;
    readonly claims: string;
  };
}

/** Returns the tables for `tableName` in a database. */
export function segmentTables(
  tableName: string,
  options: DatabaseOptions,
  dialect: SqlDialect,
): SegmentTables {
  const { schema } = options;
  const path = (name: string): string => [...(schema ? [schema] : []), name].map(dialect.quote).join('.');
  const names = { schema, counters: tableName, states: `${tableName}_state`, claims: `${tableName}_claim` };
  return {
    counters: path(names.counters),
    states: path(names.states),
    claims: path(names.claims),
    index: dialect.quote(`${tableName}_by_first`),
    names,
  };
}

/** Returns the table whose recreation is part of the history. */
export function historyTable({ states, names }: SegmentTables): HistoryTable {
  return { quoted: states, schema: names.schema, name: names.states };
}

/** Returns the statement that creates the table of states unless it exists. */
export function createStates({ states }: SegmentTables, { tableOptions }: SqlDialect): string {
  return (
    `CREATE TABLE IF NOT EXISTS ${states} (` +
    'biz_tag varchar(128) NOT NULL PRIMARY KEY, history_id varchar(255), lasting_id varchar(255),' +
    ' written_by varchar(32), known_until bigint, stride integer, remainder integer,' +
    ` member_id varchar(64), members text)${tableOptions}`
  );
}

/** Returns the statements that create the other tables unless they exist. The first one is that of Leaf. */
export function createCounters(tables: SegmentTables, dialect: SqlDialect): readonly string[] {
  const { counters, claims, index } = tables;
  const { tableOptions, hasIndexInTable } = dialect;
  const onUpdate = hasIndexInTable ? ' ON UPDATE CURRENT_TIMESTAMP' : '';
  const byFirst = '(biz_tag, state, first_number)';
  return [
    `CREATE TABLE IF NOT EXISTS ${counters} (` +
      "biz_tag varchar(128) NOT NULL DEFAULT '' PRIMARY KEY, max_id bigint NOT NULL DEFAULT 1, step integer NOT NULL," +
      ' description varchar(256) DEFAULT NULL,' +
      ` update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP${onUpdate})${tableOptions}`,
    `CREATE TABLE IF NOT EXISTS ${claims} (` +
      'token varchar(64) NOT NULL PRIMARY KEY, biz_tag varchar(128) NOT NULL, first_number bigint NOT NULL,' +
      ` size bigint NOT NULL, state varchar(8) NOT NULL${hasIndexInTable ? `, KEY ${index} ${byFirst}` : ''})${tableOptions}`,
    ...(hasIndexInTable ? [] : [`CREATE INDEX IF NOT EXISTS ${index} ON ${claims} ${byFirst}`]),
  ];
}

/** Returns the statements that drop all tables. */
export function dropStatements({ counters, states, claims }: SegmentTables): readonly string[] {
  return [claims, counters, states].map((table) => `DROP TABLE ${table}`);
}

/** Returns statements that fail if a table is missing. */
export function probeStatements({ counters, states, claims }: SegmentTables): readonly string[] {
  return [states, counters, claims].map((table) => `SELECT 1 FROM ${table} WHERE 1 = 0`);
}
