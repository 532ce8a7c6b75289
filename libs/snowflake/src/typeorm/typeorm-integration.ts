import { InstanceChecker, type DataSource } from 'typeorm';
import type { DataSourceIntegration } from '../core/index.js';
import { attachSource } from './attach.js';
import { verifySnowflakeDataSource } from './verify.js';

/** How the Nest module reaches the DataSources of an app. Known to it as soon as one entity has a Snowflake column. */
export const typeOrmIntegration: DataSourceIntegration = {
  claims: isDataSource,

  attach(dataSource, generator, source) {
    if (isDataSource(dataSource)) attachSource(dataSource, generator, source);
  },

  async verify(dataSource, knownGenerators) {
    // One that the app initializes later (`manualInitialization`) is the app's to verify.
    if (isDataSource(dataSource) && dataSource.isInitialized) {
      await verifySnowflakeDataSource(dataSource, knownGenerators);
    }
  },
};

/** By TypeORM's own mark and not by class: an app may carry a second copy of TypeORM. */
function isDataSource(candidate: unknown): candidate is DataSource {
  return InstanceChecker.isDataSource(candidate);
}
