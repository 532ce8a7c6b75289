import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import { Series, SeriesModule, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import { Column, type DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { EntryPointUse } from '../entry-point-use.js';

/** Its name isn't the default, because other entry points have a database of their own. */
const DATA_SOURCE = 'invoices';

@Entity('invoices')
class Invoice {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'date' })
  issuedOn: string;

  @SeriesNumber<Invoice>({
    series: 'invoice',
    format: 'INV-{year}-{number:5}',
    resets: 'year',
    zone: 'Europe/Berlin',
    date: 'issuedOn',
  })
  number: string;
}

export const series: EntryPointUse = {
  imports: [
    TypeOrmModule.forRoot({
      name: DATA_SOURCE,
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      entities: [Invoice],
      subscribers: [SeriesSubscriber],
      synchronize: true,
    }),
    SeriesModule.forRoot({ createTable: true }),
  ],
  async use(app) {
    const numbers = app.get(Series);
    const dataSource = app.get<DataSource>(getDataSourceToken(DATA_SOURCE));
    const write = async (issuedOn: string, isKept = true): Promise<string> => {
      const { number } = await numbers.transaction(dataSource, async (manager) => {
        const invoice = await manager.save(Object.assign(new Invoice(), { issuedOn }));
        if (!isKept) throw new Error('rolled back');
        return invoice;
      });
      return number;
    };
    const first = await write('2026-12-30');
    await write('2026-12-31', false).catch(() => undefined);
    return [first, await write('2026-12-31'), await write('2027-01-01')];
  },
};
