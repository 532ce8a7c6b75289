import 'reflect-metadata';
import { createSeriesTables, Series, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import {
  Column,
  DataSource,
  Entity,
  ManyToOne,
  PrimaryColumn,
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

const entities = [Customer, Bill, Voucher];
const subscribers = [SeriesSubscriber];
const CLEAN = { gaps: [], duplicates: [], withoutDocument: [] };
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
