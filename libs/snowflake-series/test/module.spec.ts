import 'reflect-metadata';
import { ConsoleLogger, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import {
  CreateSnowflakeSeriesTables1767225600010,
  Series,
  SeriesModule,
  SeriesNumber,
  SeriesSubscriber,
  type SeriesModuleOptions,
} from 'nestjs-snowflake-series';
import { Column, DataSource, Entity, PrimaryColumn, type DataSourceOptions } from 'typeorm';
import { DRIVERS, Invoice, optionsFor, Receipt, RULES } from './support/invoices.js';

@Injectable()
class Billing {
  constructor(
    private readonly series: Series,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  bill(tenantId: string, id: string): Promise<string> {
    return this.series.transaction(this.dataSource, async (manager) => {
      const saved = await manager.save(Invoice, { id, tenantId, issuedOn: '2026-06-30' });
      return saved.number;
    });
  }
}

interface App {
  readonly billing: Billing;
  close(): Promise<void>;
}

async function start(
  options: DataSourceOptions,
  series: SeriesModuleOptions = {},
  extra: object = {},
  logger: ConsoleLogger | false = false,
): Promise<App> {
  let opening: Promise<DataSource> | undefined;
  @Module({
    imports: [
      TypeOrmModule.forRootAsync({
        useFactory: () => ({
          ...options,
          entities: [Invoice, Receipt],
          subscribers: [SeriesSubscriber],
          synchronize: true,
          retryAttempts: 0,
          ...extra,
        }),
        dataSourceFactory: (given) => {
          opening = new DataSource(given as DataSourceOptions).initialize();
          return opening;
        },
      }),
      SeriesModule.forRootAsync({ useFactory: () => series }),
    ],
    providers: [Billing],
  })
  class AppModule {}
  try {
    const app = await NestFactory.createApplicationContext(AppModule, { logger, abortOnError: false });
    return { billing: app.get(Billing), close: () => app.close() };
  } catch (error) {
    // Nest closes nothing of an app that does not boot.
    await (await opening)?.destroy();
    throw error;
  }
}

it.each([
  ['postgres', 'snowflake_series', 'SET UNLOGGED', 'SET LOGGED'],
  ['postgres', 'snowflake_series_entry', 'SET UNLOGGED', 'SET LOGGED'],
  ['mariadb', 'snowflake_series', 'ENGINE=Aria', 'ENGINE=InnoDB'],
  ['mysql', 'snowflake_series', 'ENGINE=MyISAM', 'ENGINE=InnoDB'],
] as const)(
  'refuses a table on %s in which numbers could repeat: ALTER TABLE %s %s',
  async (driver, table, change, remedy) => {
    const [options, remove] = await optionsFor(driver, `series_unsafe_${driver}_${table}`);
    const database = await new DataSource(options).initialize();
    try {
      await (await start(options, { createTable: true })).close();
      await database.query(`ALTER TABLE ${table} ${change}`);
      await expect(start(options)).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
        message: expect.stringMatching(new RegExp(`${table}.*ALTER TABLE .*${table}.? ${remedy}`)),
      });
      await database.query(`ALTER TABLE ${table} ${remedy}`);
      await (await start(options)).close();
    } finally {
      await database.destroy();
      remove();
    }
  },
);

describe.each(DRIVERS)('SeriesModule on %s', (driver) => {
  it('creates the tables and numbers the rows of an app', async () => {
    const [options, remove] = await optionsFor(driver, `series_module_${driver}`);
    const app = await start(options, { createTable: true });
    expect(await app.billing.bill('acme', 'a')).toBe('INV-2026-00001');
    await app.close();
    const again = await start(options, { series: { order: RULES } });
    expect(await again.billing.bill('acme', 'b')).toBe('INV-2026-00002');
    await again.close();
    remove();
  });

  it('uses the tables of the migration, which removes them again', async () => {
    const [options, remove] = await optionsFor(driver, `series_migration_${driver}`);
    const migrations = [CreateSnowflakeSeriesTables1767225600010];
    const app = await start(options, {}, { migrations, migrationsRun: true });
    expect(await app.billing.bill('acme', 'a')).toBe('INV-2026-00001');
    await app.close();
    const dataSource = await new DataSource({ ...options, migrations } as DataSourceOptions).initialize();
    await dataSource.undoLastMigration();
    await expect(dataSource.query('SELECT * FROM snowflake_series')).rejects.toThrow();
    await dataSource.destroy();
    remove();
  });

  it('refuses to boot without the tables, without the subscriber, and with a wrong format', async () => {
    const [options, remove] = await optionsFor(driver, `series_refusals_${driver}`);
    const boot = (series: SeriesModuleOptions, extra: object = {}) => start(options, series, extra);
    await expect(boot({})).rejects.toThrow(/tables of series are missing\. Run the migration/);
    await expect(boot({ createTable: true }, { subscribers: [] })).rejects.toThrow(/has no SeriesSubscriber/);
    const wrong = { ...RULES, format: 'INV-{number}' };
    await expect(boot({ series: { order: wrong } })).rejects.toThrow(
      /^series\.order: format .*resets: 'year'/,
    );
    await expect(boot({ series: { invoice: { ...RULES, zone: 'UTC' } } })).rejects.toThrow(
      /Invoice.number: series has other rules than/,
    );
    await expect(boot({ serie: {} } as object)).rejects.toThrow(
      /Unknown option "serie"\. Did you mean "series"/,
    );
    remove();
  });
});

class Warnings extends ConsoleLogger {
  readonly all: string[] = [];

  constructor() {
    super({ logLevels: ['warn'] });
  }

  override warn(message: string): void {
    this.all.push(message);
  }
}

describe.each(DRIVERS)('the scopes of a column on %s', (driver) => {
  @Entity()
  class ByName {
    @PrimaryColumn()
    id!: number;
    @Column({ type: 'varchar', length: 20 })
    tenant!: string;
    @SeriesNumber<ByName>({ ...RULES, series: 'by-name', scope: 'tenant' })
    number!: string;
  }
  @Entity()
  class ById {
    @PrimaryColumn()
    id!: number;
    @Column()
    tenant!: number;
    @SeriesNumber<ById>({ ...RULES, series: 'by-id', scope: 'tenant' })
    number!: string;
  }

  it('warns if the collation takes different scopes for equal', async () => {
    const [options, remove] = await optionsFor(driver, `series_scopes_${driver}`);
    const warnings = new Warnings();
    const boot = (extra: object) => start(options, { createTable: true }, extra, warnings);
    await (await boot({ entities: [ByName, ById] })).close();
    if (driver === 'mariadb' || driver === 'mysql') {
      expect(warnings.all).toEqual([expect.stringMatching(/^ByName\.number: .* tenant .*utf8mb4_bin/)]);
      await alterCollation(options);
    }
    warnings.all.length = 0;
    await (await boot({ entities: [ByName, ById], synchronize: false })).close();
    expect(warnings.all).toEqual([]);
    remove();
  });

  async function alterCollation(options: DataSourceOptions): Promise<void> {
    const dataSource = await new DataSource(options).initialize();
    await dataSource.query('ALTER TABLE by_name MODIFY tenant varchar(20) COLLATE utf8mb4_bin NOT NULL');
    await dataSource.destroy();
  }
});

describe('SeriesModule', () => {
  it('refuses missing options, and forRootAsync() without a source', () => {
    const anything: { forRoot(options?: unknown): object; forRootAsync(options?: unknown): object } =
      SeriesModule;
    expect(() => anything.forRoot()).toThrow(/^forRoot\(options\) .* Pass an object, which may be empty\./);
    for (const options of [undefined, null, 'series', {}]) {
      expect(() => anything.forRootAsync(options)).toThrow(
        /^forRootAsync\(options\) .* Pass an object with one of useFactory, useClass, useExisting\./,
      );
    }
  });
});

describe('@SeriesNumber()', () => {
  it('refuses wrong options of @SeriesNumber() when the class is defined', () => {
    const declare = (changes: object): void => {
      class Bill {
        @SeriesNumber({ ...RULES, series: 'bill', ...changes })
        number!: string;
      }
      throw new Error(`${Bill.name} was declared`);
    };
    expect(() => declare({ series: 'a b' })).toThrow(/^Bill\.number: series is not the name of a series/);
    expect(() => declare({ scope: 5 })).toThrow(/^Bill\.number: scope is not the name of a property/);
    expect(() => declare({ date: '' })).toThrow(/^Bill\.number: date is not the name of a property/);
    expect(() => declare({ document: 'id' })).toThrow(/^Bill\.number: document is not a function/);
    expect(() => declare({ nullable: true })).toThrow(/^Bill\.number: Unknown option "nullable"/);
    expect(() => declare({ zone: 'Berlin' })).toThrow(
      /^Bill\.number: zone is not an IANA time zone \(given: "Berlin"\)/,
    );
    expect(() => declare({ format: '{year}' })).toThrow(/^Bill\.number: format /);
  });

  it('refuses a date without a column, and a Date that TypeORM would write in the zone of the process', async () => {
    @Entity()
    class Bill {
      @PrimaryColumn()
      id!: number;
      @Column({ type: 'date' })
      day!: Date | string;
      @SeriesNumber<Bill>({ ...RULES, series: 'bill', date: 'day' })
      number!: string;
    }
    @Entity()
    class Wrong {
      @PrimaryColumn()
      id!: number;
      @SeriesNumber({ ...RULES, series: 'wrong', date: 'missing' as never })
      number!: string;
    }
    const [options, remove] = await optionsFor('sqlite', 'series_dates');
    const open = (entity: new () => object) =>
      start(options, { createTable: true }, { entities: [entity] }).then((app) => app.close());
    await expect(open(Wrong)).rejects.toThrow(/Wrong.number: date is not a column/);
    await open(Bill);
    const subscribers = [SeriesSubscriber];
    const dataSource = await new DataSource({
      ...options,
      entities: [Bill],
      subscribers,
    } as DataSourceOptions).initialize();
    const save = (day: Date | string) =>
      new Series().transaction(dataSource, (manager) => manager.save(Bill, { id: 1, day }));
    await expect(save(new Date('2026-12-31T23:30:00Z'))).rejects.toThrow(
      /is a Date in a column of type date/,
    );
    expect((await save('2026-12-31')).number).toBe('INV-2026-00001');
    await dataSource.destroy();
    remove();
  });
});
