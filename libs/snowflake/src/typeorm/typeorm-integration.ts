import { InstanceChecker } from 'typeorm';
import { DATA_SOURCE_INTEGRATION, type DataSourceIntegration } from '../core/index.js';
import { attachSource } from './attach.js';
import { SnowflakeSubscriber } from './snowflake-subscriber.js';
import { verifySnowflakeDataSource } from './verify.js';

/**
 * How the Nest module reaches the DataSources of an app. Recognizes them by TypeORM's own mark and not by class: an app
 * may carry a second copy of TypeORM.
 */
export const typeOrmIntegration: DataSourceIntegration = {
  attach(dataSource, instance, source) {
    if (InstanceChecker.isDataSource(dataSource)) attachSource(dataSource, instance, source);
  },

  async verify(dataSource, knownInstances) {
    // One that the app initializes later (`manualInitialization`) is the app's to verify.
    if (InstanceChecker.isDataSource(dataSource) && dataSource.isInitialized) {
      await verifySnowflakeDataSource(dataSource, knownInstances);
    }
  },
};

Reflect.defineMetadata(DATA_SOURCE_INTEGRATION, typeOrmIntegration, SnowflakeSubscriber);
