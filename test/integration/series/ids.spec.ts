import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { SegmentId } from 'nestjs-snowflake/segments';
import { createSeriesTables, Series, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake/series';
import { attachSnowflake, SnowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import { DataSource, Entity } from 'typeorm';
import { DRIVERS, optionsFor, RULES } from './support/invoices.js';

@Entity('orders')
class Order {
  @SegmentId('order')
  id!: string;

  @SeriesNumber<Order>({ ...RULES, series: 'order', document: (order) => order.id })
  number!: string;
}

/** A source without numbers, which gets some after a while, or never. */
class LateSource {
  canIssue = false;
  private last = 0;

  constructor(private readonly failure?: Error) {}

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

  it.each(['before', 'after'])(
    'waits for the ID of a numbered row, with SnowflakeSubscriber %s SeriesSubscriber',
    async (order) => {
      const [options, remove] = await optionsFor(driver, `series_ids_${driver}_${order}`);
      const listed = [SnowflakeSubscriber, SeriesSubscriber];
      const subscribers = order === 'before' ? listed : listed.toReversed();
      const made = new DataSource({ ...options, entities: [Order], subscribers, synchronize: true });
      const dataSource = await made.initialize();
      await createSeriesTables(dataSource);
      const save = (count: number): Promise<Order[]> =>
        series.transaction(dataSource, (manager) =>
          manager.save(Array.from({ length: count }, () => new Order())),
        );

      attachSnowflake(dataSource, { 'segment:order': new LateSource() });
      const saved = await save(3);
      expect(saved.map(({ id, number }) => [id, number.slice(-1)])).toEqual([
        ['1', '1'],
        ['2', '2'],
        ['3', '3'],
      ]);
      const failure = new Error('no numbers');
      attachSnowflake(dataSource, { 'segment:order': new LateSource(failure) });
      await expect(save(2)).rejects.toBe(failure);
      const [audit] = await series.audit('order', { manager: dataSource.manager });
      expect(audit).toMatchObject({ last: 3, gaps: [], withoutDocument: [] });
      await dataSource.destroy();
      remove();
    },
  );
});
