import { Module } from '@nestjs/common';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { DatabaseModule } from './database.module.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

const { LEASE_FILE = 'leases.sqlite', WORKER_ID } = process.env;

const leases = sqlLeaseStore({
  url: `sqlite:${LEASE_FILE}`,
  namespace: 'shop',
  createTable: true,
});

@Module({
  imports: [
    SnowflakeModule.forRoot({
      epoch: '2024-01-01T00:00:00Z',
      // For a test, which shows what happens if processes share a worker ID.
      store: WORKER_ID ? staticLeaseStore({ workerId: Number(WORKER_ID) }) : leases,
    }),
    DatabaseModule,
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
