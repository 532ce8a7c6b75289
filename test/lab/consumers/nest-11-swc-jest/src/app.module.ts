import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { SnowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import { Order } from './order.entity';
import { OrdersController } from './orders.controller';
import { OrdersService } from './orders.service';

const { DATABASE_URL } = process.env;

@Module({
  imports: [
    SnowflakeModule.forRootAsync({
      useFactory: () => ({
        store: sqlLeaseStore({
          dataSource: { type: 'postgres', url: DATABASE_URL },
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
      type: 'postgres',
      url: DATABASE_URL,
      autoLoadEntities: true,
      synchronize: true,
      subscribers: [SnowflakeSubscriber],
    }),
    TypeOrmModule.forFeature([Order]),
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
