import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { snowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [
    SnowflakeModule.forRootAsync({
      useFactory: () => ({
        epoch: '2024-01-01T00:00:00Z',
        store: sqlLeaseStore({
          dataSource: { type: 'postgres', url: process.env.DATABASE_URL },
          namespace: 'shop',
          createTable: true,
        }),
      }),
    }),
    TypeOrmModule.forRootAsync({
      inject: [SnowflakeIdMaker],
      useFactory: (ids: SnowflakeIdMaker) => ({
        type: 'postgres',
        url: process.env.DATABASE_URL,
        autoLoadEntities: true,
        synchronize: true,
        subscribers: [snowflakeSubscriber(ids)],
      }),
    }),
    TypeOrmModule.forFeature([Order]),
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
