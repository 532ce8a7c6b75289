import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { databaseConfig, serverConfig, snowflakeConfig } from './orders.config.js';

/** Typed configuration for the whole app, from the environment alone: no `.env` file is looked for. */
@Module({
  imports: [
    ConfigModule.forRoot({
      isGlobal: true,
      ignoreEnvFile: true,
      load: [serverConfig, databaseConfig, snowflakeConfig],
    }),
  ],
})
export class OrdersConfigModule {}
