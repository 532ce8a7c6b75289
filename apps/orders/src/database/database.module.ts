import { Global, Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SeriesModule } from 'nestjs-snowflake-series';
import { databaseConfig } from '../config/orders.config.js';
import { databaseOptions } from './database-options.js';
import { Transactions } from './transactions.js';

/** Provides the database connection and the transactions that all queries run in. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [databaseConfig.KEY],
      useFactory: (config: ConfigType<typeof databaseConfig>) => databaseOptions(config),
    }),
    SeriesModule.forRoot({}),
  ],
  providers: [Transactions],
  exports: [Transactions],
})
export class DatabaseModule {}
