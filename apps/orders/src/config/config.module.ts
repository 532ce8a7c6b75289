import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import {
  databaseConfig,
  rateLimitConfig,
  serverConfig,
  shutdownConfig,
  snowflakeConfig,
} from './orders.config.js';

/** Provides typed configuration to the whole app. Reads environment variables only, no `.env` file. */
@Module({
  imports: [
    ConfigModule.forRoot({
      isGlobal: true,
      ignoreEnvFile: true,
      load: [serverConfig, rateLimitConfig, shutdownConfig, databaseConfig, snowflakeConfig],
    }),
  ],
})
export class OrdersConfigModule {}
