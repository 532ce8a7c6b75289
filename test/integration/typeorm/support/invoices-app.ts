import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { SeriesModule, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import { Entity } from 'typeorm';

export { Series } from 'nestjs-snowflake-series';

@Entity()
export class Invoice {
  @SnowflakeId() id!: string;

  @SeriesNumber({ series: 'invoice', format: 'INV-{number:5}', resets: 'never', zone: 'UTC' })
  number!: string;
}

/** Boots an app whose entity has an ID and a document number. */
export async function invoicesApp(): Promise<INestApplication> {
  const testing = Test.createTestingModule({
    imports: [
      TypeOrmModule.forRoot({
        type: 'better-sqlite3',
        driver: libsql,
        database: ':memory:',
        entities: [Invoice],
        subscribers: [SeriesSubscriber],
        synchronize: true,
        prepareDatabase,
      }),
      SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 17 }) }),
      SeriesModule.forRoot({ createTable: true }),
    ],
  });
  return (await testing.compile()).createNestApplication({ logger: false }).init();
}
