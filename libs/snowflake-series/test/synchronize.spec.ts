import { SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import { ColumnDropError } from 'nestjs-snowflake/typeorm';
import 'reflect-metadata';
import { Column, DataSource, type DataSourceOptions, Entity, PrimaryColumn } from 'typeorm';
import { optionsFor, RULES } from './support/invoices.js';

/** As a business numbered them before. */
@Entity('bills')
class OldBill {
  @PrimaryColumn({ type: 'int' })
  id!: number;

  @Column({ type: 'varchar', length: 20 })
  number!: string;
}

/** The column is longer, so TypeORM drops the old one and makes another. */
@Entity('bills')
class Bill {
  @PrimaryColumn({ type: 'int' })
  id!: number;

  @SeriesNumber<Bill>({ ...RULES, series: 'bill' })
  number!: string;
}

describe.each(['postgres', 'mariadb'] as const)(
  'synchronize: true on %s with a series [promise: series]',
  (driver) => {
    let options: DataSourceOptions;
    const opened: DataSource[] = [];

    beforeEach(async () => {
      [options] = await optionsFor(driver, `series_synchronize_${driver}`);
    });
    afterEach(async () => {
      await Promise.all(
        opened.splice(0).map((dataSource) => dataSource.isInitialized && dataSource.destroy()),
      );
    });

    function open(entity: new () => object, subscribers: (new () => object)[]): Promise<DataSource> {
      const dataSource = new DataSource({
        ...options,
        entities: [entity],
        subscribers,
        synchronize: true,
      } as DataSourceOptions);
      opened.push(dataSource);
      return dataSource.initialize();
    }

    async function openOld(): Promise<DataSource> {
      const old = await open(OldBill, []);
      await old.manager.insert(OldBill, { id: 1, number: 'INV-2026-00001' });
      return old;
    }

    it('refuses to drop the numbers of existing rows', async () => {
      const old = await openOld();

      const refusal = open(Bill, [SeriesSubscriber]);

      await expect(refusal).rejects.toThrow(ColumnDropError);
      await expect(refusal).rejects.toMatchObject({ table: 'bills', column: 'number' });
      expect(await old.manager.find(OldBill)).toEqual([{ id: 1, number: 'INV-2026-00001' }]);
    });

    it('does not refuse it without the subscriber (control)', async () => {
      const old = await openOld();

      const attempt = open(Bill, []);

      // PostgreSQL refuses a column without a value in existing rows. MariaDB fills it with empty texts.
      if (driver === 'postgres') await expect(attempt).rejects.toThrow(/null values/);
      else await attempt;
      const kept = driver === 'postgres' ? 'INV-2026-00001' : '';
      expect(await old.manager.find(OldBill)).toEqual([{ id: 1, number: kept }]);
    });

    it('synchronizes an empty table', async () => {
      const old = await openOld();
      await old.manager.clear(OldBill);
      const dataSource = await open(Bill, [SeriesSubscriber]);
      expect(await dataSource.manager.count(Bill)).toBe(0);
    });
  },
);
