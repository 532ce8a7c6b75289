import 'reflect-metadata';
import { createSeriesTables, Series, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import {
  Column,
  DataSource,
  Entity,
  ManyToOne,
  PrimaryColumn,
  QueryFailedError,
  Unique,
  type DataSourceOptions,
  type EntityManager,
} from 'typeorm';
import { DRIVERS, optionsFor, RULES } from './support/invoices.js';

@Entity('customers')
class Customer {
  @PrimaryColumn({ type: 'varchar', length: 20 })
  id!: string;
}

@Entity('bills')
class Bill {
  @PrimaryColumn({ type: 'varchar', length: 40 })
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  tenant!: string;

  @SeriesNumber<Bill>({ ...RULES, series: 'bill', scope: 'tenant' })
  number!: string;
}

@Entity('vouchers')
class Voucher {
  @PrimaryColumn({ type: 'varchar', length: 40 })
  id!: string;

  @ManyToOne(() => Customer)
  customer!: Customer;

  @SeriesNumber<Voucher>({ ...RULES, series: 'voucher', scope: 'customer' })
  number!: string;
}

/** Its key has two columns, and its number is unique in its scope. */
@Entity('tickets')
@Unique(['hall', 'number'])
class Ticket {
  @PrimaryColumn({ type: 'varchar', length: 20 })
  day!: string;

  @PrimaryColumn({ type: 'bigint' })
  seat!: string;

  @Column({ type: 'int' })
  hall!: number;

  @Column({ type: 'date' })
  soldOn!: string;

  @SeriesNumber<Ticket>({ ...RULES, series: 'ticket', scope: ({ hall }) => hall, date: 'soldOn' })
  number!: string;
}

const entities = [Customer, Bill, Voucher, Ticket];
const subscribers = [SeriesSubscriber];
const KEY = { day: 'today', soldOn: '2026-06-30' };
const CLEAN = { gaps: [], duplicates: [], withoutDocument: [], unknown: [] };
const series = new Series();

describe.each(DRIVERS)('an audit on %s', (driver) => {
  let dataSource: DataSource;
  let options: DataSourceOptions;
  let remove = (): void => undefined;
  beforeAll(async () => {
    [options, remove] = await optionsFor(driver, `series_audits_${driver}`);
    dataSource = new DataSource({ ...options, entities, subscribers, synchronize: true });
    await dataSource.initialize();
    await createSeriesTables(dataSource);
  });
  afterAll(async () => {
    if (dataSource?.isInitialized) await dataSource.destroy();
    remove();
  });

  const transaction = <Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> =>
    series.transaction(dataSource, work);
  const quote = driver === 'mariadb' || driver === 'mysql' ? '`' : '"';
  const year = new Date().getUTCFullYear();
  const audit = (scope: string, name = 'bill') => series.audit(name, { manager: dataSource.manager, scope });

  it('distinguishes tenants that a collation of the database treats as equal', async () => {
    const tenants = ['Müller', 'MÜLLER', 'Muller'];
    for (const [index, tenant] of tenants.entries()) {
      for (const at of [1, 2]) {
        await transaction((manager) => manager.save(Bill, { id: `${index}-${at}`, tenant }));
      }
    }
    for (const tenant of tenants) {
      expect(await audit(tenant)).toMatchObject([{ last: 2, ...CLEAN }]);
    }
    await dataSource.manager.delete(Bill, { id: '0-1' });
    expect(await audit('Müller')).toMatchObject([{ ...CLEAN, withoutDocument: [{ from: 1, to: 1 }] }]);
    expect(await audit('MÜLLER')).toMatchObject([CLEAN]);
  });

  it('finds the rows whose scope is a relation', async () => {
    const customer = await dataSource.manager.save(Customer, { id: 'acme' });
    await transaction((manager) => manager.save(Voucher, { id: 'a', customer }));
    expect(await audit('acme', 'voucher')).toMatchObject([{ last: 1, ...CLEAN }]);
    await dataSource.manager.insert(Customer, { id: 'zeta' });
    await dataSource.query('UPDATE vouchers SET "customerId" = \'zeta\''.replaceAll('"', quote));
    expect(await audit('zeta', 'voucher')).toEqual([
      expect.objectContaining({ period: '', last: 0, unknown: [{ text: `INV-${year}-00001`, rows: 1 }] }),
    ]);
    expect(await audit('acme', 'voucher')).toMatchObject([{ withoutDocument: [{ from: 1, to: 1 }] }]);
  });

  describe('of numbers that the series has not issued', () => {
    const sell = (hall: number, seat: number): Promise<Ticket> =>
      transaction((manager) =>
        manager.save(Object.assign(new Ticket(), { day: 'today', seat, hall, soldOn: '2026-06-30' })),
      );
    /** Inserts rows as people do by hand. */
    const insert = (
      rows: readonly (readonly [seat: number, hall: number, soldOn: string, number: string])[],
    ) =>
      dataSource.query(
        `INSERT INTO tickets (day, seat, hall, ${quote}soldOn${quote}, number) VALUES ` +
          rows.map((row) => `('by hand', ${row.map((value) => `'${value}'`).join(', ')})`).join(', '),
      );
    const tickets = (hall: number, period?: string) =>
      series.audit('ticket', { manager: dataSource.manager, scope: hall, ...(period && { period }) });

    it('lists them in the scope and the period of their rows', async () => {
      await sell(1, 1);
      await insert([
        [2, 1, '2026-05-01', 'INV-2026-00007'],
        [3, 1, '2027-05-01', 'INV-2027-00001'],
        [4, 2, '2026-05-01', 'INV-2026-00001'],
      ]);
      const unknown = (text: string) => ({ unknown: [{ text, rows: 1 }] });
      expect(await tickets(1)).toMatchObject([
        { period: '2026', first: 1, last: 1, gaps: [], withoutDocument: [], ...unknown('INV-2026-00007') },
        { period: '2027', first: 0, last: 0, ...unknown('INV-2027-00001') },
      ]);
      expect(await tickets(1, '2027')).toMatchObject([{ period: '2027' }]);
      expect(await tickets(2)).toMatchObject([{ period: '2026', last: 0, ...unknown('INV-2026-00001') }]);
      const all = await series.audit('ticket', { manager: dataSource.manager });
      expect(all.map(({ scope, period }) => [scope, period])).toEqual([
        ['1', '2026'],
        ['1', '2027'],
        ['2', '2026'],
      ]);
    });

    it('finds each of thousands, however their keys are sorted', async () => {
      const seats = Array.from({ length: 2500 }, (_, index) => 100 + index);
      for (let at = 0; at < seats.length; at += 500)
        await insert(
          seats.slice(at, at + 500).map((seat) => [seat, 3, '2026-05-01', `OLD-${seat}`] as const),
        );
      const [found] = await tickets(3);
      expect(found?.unknown.map(({ text }) => text).toSorted()).toEqual(
        seats.map((seat) => `OLD-${seat}`).toSorted(),
      );
    });

    it('names the number that a row of the table has already, and issues it when the row is corrected', async () => {
      await sell(4, 41);
      await insert([[42, 4, '2026-05-01', 'INV-2026-00002']]);
      const taken = {
        code: 'SNOWFLAKE_STORE_REJECTED',
        message: expect.stringMatching(/INV-2026-00002.*series\.audit\(\)/),
        cause: { message: expect.stringMatching(/UNIQUE|unique|Duplicate/) },
      };
      await expect(sell(4, 43)).rejects.toMatchObject(taken);
      await expect(sell(4, 43)).rejects.toMatchObject(taken);
      if (driver !== 'sqlite') {
        const alone = Object.assign(new Ticket(), { day: 'today', seat: 43, hall: 4, soldOn: '2026-06-30' });
        await expect(dataSource.manager.save(alone)).rejects.toMatchObject(taken);
      }
      expect(await tickets(4)).toMatchObject([{ last: 1, unknown: [{ text: 'INV-2026-00002', rows: 1 }] }]);
      await dataSource.query("UPDATE tickets SET number = 'OLD-42' WHERE seat = 42");
      expect((await sell(4, 43)).number).toBe('INV-2026-00002');
    });

    it('leaves the error of another unique index as it is', async () => {
      await sell(5, 51);
      await expect(
        transaction((manager) => manager.insert(Ticket, { ...KEY, hall: 5, seat: '51' })),
      ).rejects.toThrow(QueryFailedError);
    });
  });
});

describe.each(['postgres', 'mariadb'] as const)('an audit of a DataSource with replicas on %s', (driver) => {
  it('reads the rows from the master, as it reads the numbers', async () => {
    const [master] = await optionsFor(driver, `series_master_${driver}`);
    const [lagging] = await optionsFor(driver, `series_replica_${driver}`);
    const urlOf = (options: DataSourceOptions) => ({ url: String((options as { url?: string }).url) });
    const empty = await new DataSource({ ...lagging, entities, synchronize: true }).initialize();
    const { url: _own, ...others } = { url: undefined, ...master };
    const dataSource = new DataSource({
      ...others,
      replication: { master: urlOf(master), slaves: [urlOf(lagging)] },
      entities,
      subscribers,
      synchronize: true,
    } as DataSourceOptions);
    try {
      await dataSource.initialize();
      await createSeriesTables(dataSource);
      await series.transaction(dataSource, (manager) => manager.save(Bill, { id: 'a', tenant: 'acme' }));
      const { manager } = dataSource;
      expect(await manager.find(Bill)).toEqual([]);
      expect(await series.audit('bill', { manager })).toMatchObject([{ last: 1, ...CLEAN }]);
    } finally {
      await dataSource.destroy();
      await empty.destroy();
    }
  });
});
