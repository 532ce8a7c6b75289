import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { Order } from './order.entity';
import { OrdersController } from './orders.controller';
import { OrdersService } from './orders.service';

const { REDIS_URL, DATABASE = ':memory:' } = process.env;

@Module({
  imports: [
    SnowflakeModule.forRoot({
      store: REDIS_URL
        ? redisLeaseStore({ url: REDIS_URL, namespace: 'shop' })
        : staticLeaseStore({ workerId: 1 }),
      lease: { onEmptyStore: 'assumeNew' },
    }),
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      driver: libsql,
      database: DATABASE,
      prepareDatabase,
      autoLoadEntities: true,
      synchronize: true,
    }),
    TypeOrmModule.forFeature([Order]),
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
