import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { createSeriesTables, Series, SeriesNumber, SeriesSubscriber } from 'nestjs-snowflake-series';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { Column, DataSource, Entity, PrimaryColumn, type DataSourceOptions } from 'typeorm';
import { databaseFor } from '../../../../test/support/servers/index.js';

export const DRIVERS = ['sqlite', 'postgres', 'mariadb', 'mysql'] as const;
export type Driver = (typeof DRIVERS)[number];

export const RULES = { format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin' } as const;

/** A document whose number comes from its column. */
@Entity('invoices')
export class Invoice {
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  tenantId!: string;

  @Column({ type: 'varchar', length: 10 })
  issuedOn!: string;

  @SeriesNumber<Invoice>({
    ...RULES,
    series: 'invoice',
    scope: (row) => row.tenantId,
    date: 'issuedOn',
  })
  number!: string;
}

/** Another document, with the date of the database. */
@Entity('receipts')
export class Receipt {
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id!: string;

  @Column({ type: 'varchar', length: 20 })
  branch!: string;

  @SeriesNumber<Receipt>({
    format: '{field:branch}/{year}{month}-{number}',
    resets: 'month',
    zone: 'UTC',
    series: 'receipt',
    document: (receipt) => receipt.id,
  })
  number!: string;
}

/** A DataSource with the tables of series, on an empty database. */
export interface Shop {
  readonly dataSource: DataSource;
  readonly series: Series;
  close(): Promise<void>;
}

export async function optionsFor(driver: Driver, test: string): Promise<[DataSourceOptions, () => void]> {
  if (driver === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'snowflake-series-'));
    return [sqliteOptions(join(folder, 'shop.sqlite')), () => rmSync(folder, { recursive: true })];
  }
  const url = await databaseFor(driver === 'mysql' ? 'mariadb' : driver, test);
  if (driver === 'postgres') return [{ type: driver, url, poolSize: 12 }, () => undefined];
  return [{ type: driver, url: url.replace(/^mariadb:/, `${driver}:`), poolSize: 12 }, () => undefined];
}

export function sqliteOptions(database: string): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    driver: libsql,
    database,
    prepareDatabase,
    enableWAL: true,
    timeout: 60_000,
  };
}

export async function openShop(
  driver: Driver,
  test: string,
  entities: (new () => object)[] = [Invoice, Receipt],
): Promise<Shop> {
  const [options, removeFiles] = await optionsFor(driver, test);
  const made = new DataSource({ ...options, entities, subscribers: [SeriesSubscriber], synchronize: true });
  const dataSource = await made.initialize();
  await createSeriesTables(dataSource);
  return {
    dataSource,
    series: new Series({ note: { format: 'N{number:3}', resets: 'never', zone: 'UTC' }, order: RULES }),
    async close() {
      await dataSource.destroy();
      removeFiles();
    },
  };
}

let made = 0;

/** A new invoice. */
export function invoice(tenantId: string, issuedOn = '2026-06-30'): Invoice {
  made += 1;
  return Object.assign(new Invoice(), { id: `invoice-${made}`, tenantId, issuedOn });
}
