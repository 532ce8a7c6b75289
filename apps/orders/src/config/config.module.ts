import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import {
  databaseConfig,
  rateLimitConfig,
  serverConfig,
  shutdownConfig,
  snowflakeConfig,
} from './orders.config.js';

/** Typed configuration for the whole app, from the environment alone: no `.env` file is looked for. */
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
