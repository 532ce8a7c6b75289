import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import { SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

const sqlite = {
  type: 'better-sqlite3',
  driver: libsql,
  database: process.env.DATABASE_FILE ?? 'shop.sqlite',
  prepareDatabase,
} as const;

@Module({
  imports: [
    SnowflakeModule.forRootAsync({
      useFactory: () => ({
        store: sqlLeaseStore({
          dataSource: sqlite,
          namespace: 'shop',
          createTable: true,
        }),
        lease: {
          possibleLoss:
            process.env.NODE_ENV === 'production' ? 'wait' : 'ignore',
        },
      }),
    }),
    TypeOrmModule.forRoot({
      ...sqlite,
      autoLoadEntities: true,
      synchronize: true,
    }),
    TypeOrmModule.forFeature([Order]),
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
