import { Global, Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { snowflakeConfig } from '../config/orders.config.js';
import { IdsController } from './ids.controller.js';
import { SnowflakeIdValidator } from './snowflake-id.validator.js';

/** Makes, validates and decodes the IDs of the whole app. */
@Global()
@Module({
  imports: [
    SnowflakeModule.forRootAsync({
      inject: [snowflakeConfig.KEY],
      useFactory: ({
        redisUrl,
        namespace,
        workerId,
        unknownHistory,
      }: ConfigType<typeof snowflakeConfig>) => ({
        epoch: '2024-01-01T00:00:00Z',
        layout: { workerBits: 10, sequenceBits: 12 },
        store: redisUrl ? redisLeaseStore({ url: redisUrl, namespace }) : staticLeaseStore({ workerId }),
        lease: { unknownHistory },
      }),
    }),
  ],
  controllers: [IdsController],
  providers: [SnowflakeIdValidator],
  exports: [SnowflakeIdValidator],
})
export class IdsModule {}
