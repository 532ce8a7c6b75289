import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { databaseConfig, serverConfig, sharedConfigs, snowflakeConfig } from './orders.config.js';

/** Provides typed configuration to the whole app. Reads environment variables only, no `.env` file. */
@Module({
  imports: [
    ConfigModule.forRoot({
      isGlobal: true,
      ignoreEnvFile: true,
      load: [...sharedConfigs, serverConfig, databaseConfig, snowflakeConfig],
    }),
  ],
})
export class OrdersConfigModule {}
