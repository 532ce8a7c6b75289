import { InstanceChecker, type DataSource } from 'typeorm';
import type { DatabaseAdapter } from '../../kit/database-adapters.js';
import { attachSource } from './attach.js';
import { findSnowflakeColumns } from './snowflake-columns.js';
import { verifySnowflakeDataSource } from './verify.js';

/** Recognizes DataSources by TypeORM's own mark instead of by class: an app may have a second copy of TypeORM. */
export const typeOrmAdapter: DatabaseAdapter = (provider) => {
  if (!isDataSource(provider)) return undefined;
  return {
    attach(name, source) {
      if (mayHaveIdColumns(provider)) attachSource(provider, name, source);
    },
    async verify() {
      // The app must verify a DataSource that it initializes later (`manualInitialization`).
      if (provider.isInitialized) await verifySnowflakeDataSource(provider);
    },
  };
};

/** Returns the initialized DataSources among the providers of an app. */
export function dataSourcesAmong(providers: Iterable<object>): DataSource[] {
  return [...providers].filter((each) => isDataSource(each)).filter(({ isInitialized }) => isInitialized);
}

/** Reads nothing of other providers: a proxy can throw at an unknown property. */
function isDataSource(provider: object): provider is DataSource {
  return 'entityMetadatas' in provider && InstanceChecker.isDataSource(provider);
}

/** The entities of a DataSource are unknown until it is initialized. */
function mayHaveIdColumns({ isInitialized, entityMetadatas }: DataSource): boolean {
  return !isInitialized || entityMetadatas.some((metadata) => findSnowflakeColumns(metadata).all.length > 0);
}
