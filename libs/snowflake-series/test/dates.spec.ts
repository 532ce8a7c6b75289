import 'reflect-metadata';
import { SeriesNumber } from 'nestjs-snowflake-series';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { DRIVERS, openShop, type Shop } from './support/invoices.js';

const RULES = { format: '{year}-{number}', resets: 'year', zone: 'Europe/Berlin' } as const;

@Entity('bills')
class Bill {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'date' })
  issuedOn!: unknown;

  @SeriesNumber<Bill>({ ...RULES, series: 'bill', date: 'issuedOn' })
  number!: string;
}

/** A calendar day of another library. */
class Day {
  constructor(readonly text: string) {}
}

@Entity('letters')
class Letter {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({
    type: 'date',
    transformer: { to: (day: Day) => day.text, from: (text: string) => new Day(text) },
  })
  writtenOn!: Day;

  @SeriesNumber<Letter>({ ...RULES, series: 'letter', date: 'writtenOn' })
  number!: string;
}

@Entity('receipts')
class Receipt {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: Date })
  paidAt!: unknown;

  @SeriesNumber<Receipt>({ ...RULES, series: 'receipt', date: 'paidAt' })
  number!: string;
}

// Each is in 2027 somewhere, and in 2026 elsewhere.
const TIMESTAMPS = ['2026-12-31T23:30:00.000Z', '2026-12-31T18:00:00-05:00', '2027-01-01T00:10:00+08:00'];

describe.each(DRIVERS)(
  'the year of a number and of the date in its column on %s [promise: series]',
  (driver) => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop(driver, `series_dates_${driver}`, [Bill, Letter, Receipt]);
    });
    afterAll(() => shop?.close());

    const save = <Row extends object>(Class: new () => Row, values: Partial<Row>): Promise<Row> =>
      shop.series.transaction(shop.dataSource, (manager) => manager.save(Object.assign(new Class(), values)));

    it('are the same in a column that holds dates', async () => {
      const { id, number } = await save(Bill, { issuedOn: '2026-12-31' });
      expect(number).toMatch(/^2026-/);
      expect((await shop.dataSource.manager.findOneByOrFail(Bill, { id })).issuedOn).toBe('2026-12-31');
    });

    it.each(TIMESTAMPS)(
      'are not known of the timestamp %s in a column that holds dates',
      async (issuedOn) => {
        await expect(save(Bill, { issuedOn })).rejects.toMatchObject({
          code: 'SNOWFLAKE_INVALID_DATE',
          message: expect.not.stringContaining('timestamp with its offset'),
          clientFault: expect.stringContaining('Send a date such as 2026-12-31.'),
        });
      },
    );

    it('recommends only a date for a column that holds dates', async () => {
      for (const issuedOn of ['31.12.2026', '2026-02-30', '2026-12-31T23:30:00', 20261231])
        await expect(save(Bill, { issuedOn })).rejects.toThrow(/Set a date such as '2026-12-31'\. The year/);
    });

    it('are the same if a transformer makes the date', async () => {
      expect((await save(Letter, { writtenOn: new Day('2026-12-31') })).number).toMatch(/^2026-/);
      await expect(save(Letter, { writtenOn: new Day('2026-12-31T23:30:00Z') })).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_DATE',
      });
    });

    it('are the same in a column that holds instants', async () => {
      const yearInBerlin = new Intl.DateTimeFormat('en', { timeZone: RULES.zone, year: 'numeric' });
      for (const paidAt of [...TIMESTAMPS, ...TIMESTAMPS.map((text) => new Date(text))]) {
        const { id, number } = await save(Receipt, { paidAt });
        const stored = await shop.dataSource.manager.findOneByOrFail(Receipt, { id });
        expect(stored.paidAt).toEqual(new Date(paidAt));
        expect(number.slice(0, 4)).toBe(yearInBerlin.format(stored.paidAt as Date));
      }
    });

    it('are not known of a date in a column that holds instants', async () => {
      await expect(save(Receipt, { paidAt: '2027-01-01' })).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_DATE',
        message: expect.stringContaining("such as '2026-12-31T23:30:00Z'"),
        clientFault: expect.stringContaining('Send a timestamp such as'),
      });
    });
  },
);
