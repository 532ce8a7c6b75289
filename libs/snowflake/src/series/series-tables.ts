import type { DataSource, DataSourceOptions, MigrationInterface, QueryRunner } from 'typeorm';
import { isCreatedTwice, isMissingTable } from '../kit/sql/errors.js';
import { seriesDialectOf, type SeriesDialect } from './series-dialect.js';

/** The quoted names of the tables of series. */
export interface SeriesTables {
  /** Has a row per series, scope and period. */
  readonly counters: string;
  /** Has a row per number. */
  readonly entries: string;
  /** Has a row per document that was named when its number was taken. */
  readonly documents: string;
}

const CREATE_ATTEMPTS = 5;
const KEY_COLUMNS = 'series varchar(64) NOT NULL, scope varchar(128) NOT NULL, period varchar(16) NOT NULL';

/** Returns the tables of a database, in the schema of its DataSource. */
export function seriesTables(options: DataSourceOptions, { sql }: SeriesDialect): SeriesTables {
  const schema = 'schema' in options ? options.schema : undefined;
  const path = (name: string): string => [...(schema ? [schema] : []), name].map(sql.quote).join('.');
  return {
    counters: path('snowflake_series'),
    entries: path('snowflake_series_entry'),
    documents: path('snowflake_series_document'),
  };
}

/**
 * A TypeORM migration that creates the tables of series, and drops them when reverted. Add it to the `migrations` of the
 * DataSource. Existing tables stay as they are.
 */
export class CreateSnowflakeSeriesTables1767225600010 implements MigrationInterface {
  /** The name that TypeORM stores in its table of migrations. */
  readonly name: string = 'CreateSnowflakeSeriesTables1767225600010';

  /** Creates the missing tables. */
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of createStatements(queryRunner.connection.options))
      await queryRunner.query(statement);
  }

  /** Drops the tables, and all numbers that were given. */
  async down(queryRunner: QueryRunner): Promise<void> {
    const { options } = queryRunner.connection;
    for (const table of Object.values(seriesTables(options, seriesDialectOf(options)))) {
      await queryRunner.query(`DROP TABLE ${table}`);
    }
  }
}

/**
 * Creates the tables of series unless they exist. Processes that start at the same time may all do so.
 *
 * @throws InvalidOptionError if the database can't hold series
 */
export async function createSeriesTables(dataSource: DataSource): Promise<void> {
  for (let attempt = 1; !(await hasSeriesTables(dataSource)); attempt += 1) {
    try {
      for (const statement of createStatements(dataSource.options)) await dataSource.query(statement);
    } catch (error) {
      if (!isCreatedTwice(error) || attempt === CREATE_ATTEMPTS) throw error;
    }
  }
}

/** Returns whether all tables exist. Checks by reading them, because CREATE needs a right even if they do. */
export async function hasSeriesTables(dataSource: DataSource): Promise<boolean> {
  const tables = seriesTables(dataSource.options, seriesDialectOf(dataSource.options));
  try {
    for (const table of Object.values(tables)) await dataSource.query(`SELECT 1 FROM ${table} WHERE 1 = 0`);
    return true;
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}

function createStatements(options: DataSourceOptions): string[] {
  const dialect = seriesDialectOf(options);
  const { counters, entries, documents } = seriesTables(options, dialect);
  const { tableOptions, hasIndexInTable, quote } = dialect.sql;
  const index = quote('snowflake_series_entry_by_text');
  // Unique, so that no change of a series can make a text again.
  const byText = '(series, scope, text)';
  return [
    `CREATE TABLE IF NOT EXISTS ${counters} (${KEY_COLUMNS}, last_number bigint NOT NULL,` +
      ` PRIMARY KEY (series, scope, period))${tableOptions}`,
    `CREATE TABLE IF NOT EXISTS ${documents} (series varchar(64) NOT NULL, scope varchar(128) NOT NULL,` +
      ' document varchar(128) NOT NULL, period varchar(16) NOT NULL, number bigint NOT NULL,' +
      ` PRIMARY KEY (series, scope, document))${tableOptions}`,
    `CREATE TABLE IF NOT EXISTS ${entries} (${KEY_COLUMNS}, number bigint NOT NULL, text varchar(128) NOT NULL,` +
      ' document_date varchar(10) NOT NULL, document varchar(128), taken_at_ms bigint NOT NULL,' +
      ' void_reason varchar(255), voided_at_ms bigint, PRIMARY KEY (series, scope, period, number)' +
      `${hasIndexInTable ? `, UNIQUE KEY ${index} ${byText}` : ''})${tableOptions}`,
    ...(hasIndexInTable ? [] : [`CREATE UNIQUE INDEX IF NOT EXISTS ${index} ON ${entries} ${byText}`]),
  ];
}
