import { Module } from '@nestjs/common';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';
import { PrismaModule } from './prisma.module.js';

const { DATABASE_URL = '', WORKER_ID } = process.env;

@Module({
  imports: [
    SnowflakeModule.forRoot({
      epoch: '2024-01-01T00:00:00Z',
      // For a test, which shows what happens if processes share a worker ID.
      store: WORKER_ID
        ? staticLeaseStore({ workerId: Number(WORKER_ID) })
        : sqlLeaseStore({
            url: DATABASE_URL,
            namespace: 'shop',
            // `prisma migrate dev` would drop tables that it finds in its own schema.
            schema: 'snowflake',
          }),
    }),
    PrismaModule,
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
