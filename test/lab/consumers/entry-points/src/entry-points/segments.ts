import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  getSegmentToken,
  SegmentModule,
  type SegmentSource,
  sqlSegmentStore,
} from 'nestjs-snowflake-segments';
import { prepareDatabase, SegmentId } from 'nestjs-snowflake/typeorm';
import { Column, DataSource, Entity } from 'typeorm';
import type { EntryPointUse } from '../entry-point-use.js';

@Entity()
class Ticket {
  @SegmentId('ticket') id!: string;
  @Column() title!: string;
}

@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      useFactory: async () => ({
        type: 'better-sqlite3',
        driver: (await import('libsql')).default,
        database: `tickets-${randomUUID()}.sqlite`,
        prepareDatabase,
        entities: [Ticket],
        synchronize: true,
      }),
    }),
    SegmentModule.forRootAsync({
      tags: ['ticket'],
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => ({ store: sqlSegmentStore({ dataSource, createTable: true }) }),
    }),
  ],
})
class TicketsModule {}

export const segments: EntryPointUse = {
  imports: [TicketsModule],
  async use(app) {
    const saved = await app.get(DataSource).getRepository(Ticket).save({ title: 'A ticket' });
    const source: SegmentSource = app.get(getSegmentToken('ticket'));
    return [saved.id, source.next()];
  },
};
