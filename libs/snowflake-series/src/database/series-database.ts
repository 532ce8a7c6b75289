import type { DataSource } from 'typeorm';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import type { SqlPlace } from 'nestjs-snowflake/internal/kit/sql/tables/tables';
import { SERIES_TABLES, type SeriesTableName } from './series-tables.js';

/** The tables of series in a DataSource, and the dialect of its database. */
export type SeriesDatabase = SqlPlace<SeriesTableName>;

/** Returns where a DataSource holds series. @throws InvalidOptionError if it can't */
export function seriesDatabase({ options }: Pick<DataSource, 'options'>): SeriesDatabase {
  return SERIES_TABLES.in(options);
}

/** Looks each DataSource up once. */
export class SeriesDatabases {
  private readonly known = new WeakMap<DataSource, SeriesDatabase>();

  /** @throws InvalidOptionError if the DataSource can't hold series */
  in(dataSource: DataSource): SeriesDatabase {
    const database = this.known.get(dataSource) ?? seriesDatabase(dataSource);
    this.known.set(dataSource, database);
    return database;
  }
}

/** Returns the DataSource of an event or an EntityManager: TypeORM 0.3 has only `connection`. @throws InvalidOptionError */
export function dataSourceOf(owner: {
  readonly dataSource?: DataSource;
  readonly connection?: DataSource;
}): DataSource {
  const dataSource = owner.dataSource ?? owner.connection;
  if (dataSource !== undefined) return dataSource;
  const remedy = 'Pass the EntityManager of your transaction.';
  throw new InvalidOptionError('manager', owner, 'has no DataSource', remedy);
}
