import { Global, Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { type LeaseStore, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { SHUTDOWN_CONFIG, type ShutdownConfig } from '../../../shared/src/environment/server-environment.js';
import { databaseConfig, snowflakeConfig } from '../config/orders.config.js';
import { connectionOptions, type DatabaseConfig } from '../database/database-options.js';
import { IdsController } from './ids.controller.js';
import { LeaseAlarm } from './lease-alarm.js';

type IdsConfig = ConfigType<typeof snowflakeConfig>;

/** Falls back to the app's database, because all processes that must not share a worker ID share that. */
function leaseStore(
  { serviceUrl, serviceToken, redisUrl, namespace, workerId }: IdsConfig,
  database: DatabaseConfig,
): LeaseStore {
  if (serviceUrl !== undefined) return remoteLeaseStore({ url: serviceUrl, token: serviceToken, namespace });
  if (redisUrl !== undefined) return redisLeaseStore({ url: redisUrl, namespace });
  if (workerId !== undefined) return staticLeaseStore({ workerId });
  return sqlLeaseStore({ dataSource: connectionOptions(database), namespace, createTable: true });
}

/** Makes, validates and decodes the IDs of the whole app. */
@Global()
@Module({
  imports: [
    SnowflakeModule.forRootAsync({
      inject: [snowflakeConfig.KEY, databaseConfig.KEY, SHUTDOWN_CONFIG],
      useFactory: (ids: IdsConfig, database: DatabaseConfig, { drainMs }: ShutdownConfig) => ({
        epoch: '2024-01-01T00:00:00Z',
        layout: { workerBits: 10, sequenceBits: 12 },
        store: leaseStore(ids, database),
        // Releases the lease before connections are cut, because the process can end before they have closed.
        drainTimeoutMs: drainMs,
      }),
    }),
  ],
  controllers: [IdsController],
  providers: [LeaseAlarm],
})
export class IdsModule {}
