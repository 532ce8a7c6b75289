import { setTimeout as sleep } from 'node:timers/promises';
import { createSeriesTables, Series, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import {
  attachSnowflake,
  SnowflakeId,
  SnowflakeSubscriber,
  snowflakeSubscriber,
} from 'nestjs-snowflake/typeorm';
import 'reflect-metadata';
import { DataSource, Entity, type EntityManager, EntitySchema } from 'typeorm';
import { DRIVERS, openShop, optionsFor, RULES, type Shop } from './support/invoices.js';
import {
  Bill,
  bill,
  Claim,
  Copy,
  Letter,
  Notice,
  Parcel,
  Reminder,
  Tenant,
  UNCOMMON_ENTITIES,
  Urgent,
} from './support/uncommon-entities.js';

describe.each(DRIVERS)('a column with numbers on %s [promise: series]', (driver) => {
  const series = new Series();
  let shop: Shop;
  let dataSource: DataSource;
  beforeAll(async () => {
    shop = await openShop(driver, `series_entities_${driver}`, UNCOMMON_ENTITIES);
    ({ dataSource } = shop);
  });
  afterAll(() => shop?.close());

  const transaction = <Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> =>
    series.transaction(dataSource, work);
  const year = new Date().getUTCFullYear();

  it('numbers an embedded column, whose functions get the entity, and whose properties are those next to it', async () => {
    const saved = await transaction((manager) => manager.save(bill()));
    expect(saved.papers.original.number).toBe('B7-2026-1');
    const row = bill('2025-06-30');
    await transaction((manager) => manager.insert(Bill, row));
    expect(row.papers.original.number).toBe('B7-2025-1');
    const again = Object.assign(bill(), { key: saved.key });
    await transaction((manager) => manager.save(again));
    expect(again.papers.original.number).toBe('B7-2026-1');
    const { manager } = dataSource;
    const audits = await series.audit('bill', { manager, scope: 'acme' });
    expect(audits).toMatchObject([
      { period: '2025', last: 1, duplicates: [], withoutDocument: [] },
      { period: '2026', last: 1, duplicates: [{ text: 'B7-2026-1', rows: 2 }], withoutDocument: [] },
    ]);
    expect(series.definitions().has('bill')).toBe(true);
  });

  it('refuses rows that share one embedded object', async () => {
    const [one, other] = [bill(), bill()];
    other.papers = one.papers;
    await expect(transaction((manager) => manager.save([one, other]))).rejects.toThrow(
      /^Bill\.papers\.original\.number would be the same in two rows, which share one object/,
    );
  });

  it('numbers every class of single table inheritance that declares the column, and no other', async () => {
    const rows = [new Letter(), new Reminder(), new Notice(), new Parcel()];
    await transaction((manager) => manager.save(rows));
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4].map((at) => `INV-${year}-0000${at}`));
    expect(rows).toMatchObject([{}, { fee: `FEE-${year}-1` }, { fee: `FEE-${year}-2` }, {}]);
    expect(rows[3]).toMatchObject({ stamp: { number: `S-${year}-1` } });
    expect(rows[0]).not.toMatchObject({ fee: expect.any(String) });
    expect(rows[0]).not.toHaveProperty('stamp.number', expect.any(String));
  });

  it('audits a scope that reads a relation or a hidden column, or refuses it with a remedy', async () => {
    const tenant = Object.assign(new Tenant(), { id: 'acme', country: 'DE' });
    await transaction(async (manager) => {
      await manager.save(tenant);
      await manager.save(Object.assign(new Claim(), { tenant, kind: 'damage' }));
    });
    const { manager } = dataSource;
    expect(await series.audit('claim', { manager })).toMatchObject([
      { scope: 'acme:damage', last: 1, withoutDocument: [], duplicates: [] },
    ]);
    const refused = series.audit('claim-by-country', { manager });
    await expect(refused).rejects.toThrow(/^Claim\.byCountry: scope fails for a row that audit\(\) has read/);
    await expect(refused).rejects.toMatchObject({ retryable: false });
  });

  it('audits a column once per table, whichever entities have it', async () => {
    await transaction((manager) => manager.save([new Letter(), new Reminder(), new Notice(), new Urgent()]));
    const { manager } = dataSource;
    for (const name of ['letter', 'fee', 'copy']) {
      await transaction((inside) => inside.save([new Copy()]));
      const audits = await series.audit(name, { manager });
      expect(audits).toMatchObject([{ gaps: [], duplicates: [], withoutDocument: [] }]);
    }
    await manager.query(`UPDATE letters SET fee = 'FEE-${year}-1' WHERE fee = 'FEE-${year}-2'`);
    const [audit] = await series.audit('fee', { manager });
    expect(audit).toMatchObject({
      duplicates: [{ text: `FEE-${year}-1`, rows: 2 }],
      withoutDocument: [{ from: 2, to: 2 }],
    });
  });
});

describe('an EntitySchema [promise: series]', () => {
  it('refuses an EntitySchema that leaves out a property that gets numbers (control)', async () => {
    class Ticket {
      id!: number;

      @SeriesNumber({ ...RULES, series: 'ticket' })
      number!: string;
    }
    const columns = { id: { type: Number, primary: true } } as const;
    const schema = new EntitySchema<Ticket>({ name: 'Ticket', target: Ticket, columns });
    const [options, remove] = await optionsFor('sqlite', 'series_schema');
    const made = new DataSource({ ...options, entities: [schema], subscribers: [SeriesSubscriber] });
    const dataSource = await made.initialize();
    expect(() => new Series().verify(dataSource)).toThrow(
      /^Ticket\.number: series marks a property that is not a column \(given: "ticket"\)/,
    );
    await dataSource.destroy();
    remove();
  });
});

@Entity('orders')
class Order {
  @SnowflakeId()
  id!: string;

  @SeriesNumber<Order>({ ...RULES, series: 'order', document: (order) => order.id })
  number!: string;
}

/** A source without numbers, which gets some after a while, or never. */
class LateSource {
  canIssue = false;
  failure: Error | undefined;
  private last = 0;

  async ready(): Promise<void> {
    await sleep(50);
    if (this.failure) throw this.failure;
    this.canIssue = true;
  }

  nextId(): string {
    return String((this.last += 1));
  }
}

describe.each(DRIVERS)('a row whose document is its own ID, on %s [promise: series]', (driver) => {
  const series = new Series();

  it.each<[string, (source: LateSource) => (typeof SnowflakeSubscriber)[]]>([
    ['before', () => [SnowflakeSubscriber]],
    // TypeORM calls subscribers in the order in which their classes were decorated.
    ['after', (source) => [snowflakeSubscriber(source)]],
  ])('waits for the ID of a numbered row that is assigned by a subscriber %s its own', async (order, own) => {
    const [options, remove] = await optionsFor(driver, `series_ids_${driver}_${order}`);
    const source = new LateSource();
    const both = [SeriesSubscriber, ...own(source)];
    const dataSource = new DataSource({
      ...options,
      entities: [Order],
      subscribers: both,
      synchronize: true,
    });
    await dataSource.initialize();
    expect(dataSource.subscribers.findIndex((each) => each instanceof SeriesSubscriber)).toBe(
      order === 'before' ? 1 : 0,
    );
    await createSeriesTables(dataSource);
    const save = (count: number): Promise<Order[]> =>
      series.transaction(dataSource, (manager) =>
        manager.save(Array.from({ length: count }, () => new Order())),
      );

    attachSnowflake(dataSource, source);
    const saved = await save(3);
    expect(saved.map(({ id, number }) => [id, number.slice(-1)])).toEqual([
      ['1', '1'],
      ['2', '2'],
      ['3', '3'],
    ]);
    const failure = new Error('no numbers');
    Object.assign(source, { failure, canIssue: false });
    await expect(save(2)).rejects.toBe(failure);
    const [audit] = await series.audit('order', { manager: dataSource.manager });
    expect(audit).toMatchObject({ last: 3, gaps: [], withoutDocument: [] });
    await dataSource.destroy();
    remove();
  });
});
