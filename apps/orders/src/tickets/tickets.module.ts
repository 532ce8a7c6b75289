import { Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SegmentModule, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { DataSource } from 'typeorm';
import { shutdownConfig } from '../config/orders.config.js';
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
      inject: [DataSource, shutdownConfig.KEY],
      useFactory: (dataSource: DataSource, { drainMs }: ConfigType<typeof shutdownConfig>) => ({
        store: sqlSegmentStore({ dataSource }),
        drainTimeoutMs: drainMs,
      }),
    }),
  ],
  controllers: [TicketsController],
  providers: [TicketsService],
})
export class TicketsModule {}
