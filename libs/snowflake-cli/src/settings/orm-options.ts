import type { DataSource, DataSourceOptions } from 'typeorm';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { loadAppOptions } from './app-options.js';

export const DATA_SOURCE_FLAG = '--data-source <file[#export]>';
export const DATA_SOURCE_HELP = "module that exports the TypeORM DataSource of the app's entities";

/** Turns off everything that a DataSource of an app does by itself when it connects. */
const PASSIVE: Partial<Extract<DataSourceOptions, { type: 'better-sqlite3' }>> = {
  synchronize: false,
  dropSchema: false,
  migrationsRun: false,
  migrations: [],
  subscribers: [],
  cache: false,
  logging: false,
  enableWAL: false,
};

/** Returns the options of a DataSource of the app that never change the schema, whatever the app has configured. */
export function passiveOptions(options: DataSourceOptions): DataSourceOptions {
  return { ...options, ...PASSIVE } as DataSourceOptions;
}

/**
 * Loads the options of the DataSource that a module exports.
 *
 * @param reference value of `--data-source`
 * @throws InvalidOptionError if there is no such file or export, or if it is something else
 */
export async function loadOrmOptions(reference: string): Promise<DataSourceOptions> {
  try {
    const exported: object = await loadAppOptions(reference);
    return 'initialize' in exported ? (exported as DataSource).options : (exported as DataSourceOptions);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    const remedy = 'Pass the path of a built JavaScript file that exports the DataSource or its options.';
    throw new InvalidOptionError('--data-source', reference, error.problem, remedy);
  }
}
