import { InstanceChecker } from 'typeorm';
import { DATA_SOURCE_INTEGRATION, type DataSourceIntegration } from '../core/index.js';
import { attachSource } from './attach.js';
import { SnowflakeSubscriber } from './snowflake-subscriber.js';
import { verifySnowflakeDataSource } from './verify.js';

/**
 * Gives the Nest module access to the DataSources of an app. Recognizes them by TypeORM's own mark instead of by class: an
 * app may have a second copy of TypeORM.
 */
export const typeOrmIntegration: DataSourceIntegration = {
  attach(dataSource, instance, source) {
    if (InstanceChecker.isDataSource(dataSource)) attachSource(dataSource, instance, source);
  },

  async verify(dataSource, knownInstances) {
    // The app must verify a DataSource that it initializes later (`manualInitialization`).
    if (InstanceChecker.isDataSource(dataSource) && dataSource.isInitialized) {
      await verifySnowflakeDataSource(dataSource, knownInstances);
    }
  },
};

Reflect.defineMetadata(DATA_SOURCE_INTEGRATION, typeOrmIntegration, SnowflakeSubscriber);
