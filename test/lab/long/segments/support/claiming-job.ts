import type { DataSourceOptions } from 'typeorm';

/** What a process that issues numbers is to do. */
export interface ClaimingJob {
  readonly dataSource: Exclude<DataSourceOptions, { driver?: unknown }> | { readonly sqliteFile: string };
  readonly tableName: string;
  /** Where the numbers are appended, eight bytes each, after every batch. */
  readonly numbersFile: string;
  readonly count: number;
}
