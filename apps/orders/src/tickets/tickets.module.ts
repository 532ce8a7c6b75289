import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SegmentModule, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { DataSource } from 'typeorm';
import { SHUTDOWN_CONFIG, type ShutdownConfig } from '../../../shared/src/environment/server-environment.js';
import { CustomersModule } from '../customers/customers.module.js';
import { Ticket } from './ticket.entity.js';
import { TicketsController } from './tickets.controller.js';
import { TicketsService } from './tickets.service.js';

@Module({
  imports: [
    CustomersModule,
    TypeOrmModule.forFeature([Ticket]),
    SegmentModule.forRootAsync({
      tags: ['ticket'],
      inject: [DataSource, SHUTDOWN_CONFIG],
      useFactory: (dataSource: DataSource, { drainMs }: ShutdownConfig) => ({
        store: sqlSegmentStore({ dataSource }),
        drainTimeoutMs: drainMs,
      }),
    }),
  ],
  controllers: [TicketsController],
  providers: [TicketsService],
})
export class TicketsModule {}
