import {
  Inject,
  Logger,
  Module,
  type ConfigurableModuleAsyncOptions,
  type DynamicModule,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import {
  type Checked,
  checkedOptions,
  flag,
  type OptionRules,
  unchecked,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import { requireBoolean } from 'nestjs-snowflake/internal/core/options/option-checks';
import { StoreRejectedError } from 'nestjs-snowflake/store';
import type { SeriesOptions } from '../core/series-options.js';
import { CallMeter } from 'nestjs-snowflake/internal/kit/call-meter';
import { Boot } from 'nestjs-snowflake/internal/kit/nest/boot';
import { BootModule } from 'nestjs-snowflake/internal/kit/nest/boot.module';
import { featureModule, withoutOptions } from 'nestjs-snowflake/internal/kit/nest/feature-module';
import { fromOptions } from 'nestjs-snowflake/internal/kit/nest/deferred-options';
import { providersIn } from 'nestjs-snowflake/internal/kit/nest/providers';
import { dataSourcesAmong } from 'nestjs-snowflake/internal/adapters/typeorm/typeorm-adapter';
import { toSeriesError } from '../database/database-errors.js';
import { createSeriesTables, hasSeriesTables, requireSafeTables } from '../database/create-series-tables.js';
import { Series } from '../series/series.js';
import { findSeriesSubscriber } from '../series/series-subscriber.js';

/** Options of {@link SeriesModule}. */
export interface SeriesModuleOptions {
  /**
   * The series by name, for `series.next()`. The series of `@SeriesNumber()` columns need no entry.
   *
   * @defaultValue `{}`
   */
  readonly series?: Readonly<Record<string, SeriesOptions>>;
  /**
   * Whether the module creates missing tables when the app starts.
   *
   * If `false`, run the migration `CreateSnowflakeSeriesTables1767225600010`.
   *
   * @defaultValue `false`
   */
  readonly createTable?: boolean;
}

/** Options next to `useFactory`, which must be known before it runs. */
export interface SeriesModuleExtras {
  /**
   * Whether every module can inject `Series` without importing this one.
   *
   * @defaultValue `true`
   */
  readonly isGlobal?: boolean;
}

/** A class that provides the options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface SeriesOptionsFactory {
  createSeriesOptions(): SeriesModuleOptions | Promise<SeriesModuleOptions>;
}

/** What `forRootAsync` takes: the source of the options, and the extras. */
export type SeriesModuleAsyncOptions = ConfigurableModuleAsyncOptions<
  SeriesModuleOptions,
  'createSeriesOptions'
> &
  SeriesModuleExtras;

const OPTIONS = Symbol('nestjs-snowflake: series options');
const SETTINGS = Symbol('nestjs-snowflake: checked series options');

export const SERIES_MODULE_OPTIONS = {
  series: unchecked<SeriesModuleOptions['series']>(),
  createTable: flag().or(false),
} satisfies OptionRules<SeriesModuleOptions>;

type SeriesSettings = Checked<typeof SERIES_MODULE_OPTIONS>;

const checkSeriesOptions = (options: SeriesModuleOptions): SeriesSettings =>
  checkedOptions('options', options, SERIES_MODULE_OPTIONS);

const madeSeries = ({ series }: SeriesSettings, boot: Boot): Promise<Series> =>
  boot.step(() => new Series(series));

const feature = featureModule<SeriesModuleOptions, 'createSeriesOptions', SeriesModuleExtras>({
  name: 'Series',
  optionsToken: OPTIONS,
  factoryMethod: 'createSeriesOptions',
  extras: { isGlobal: true },
  remedy: 'Pass an object, which may be empty.',
  define: ({ isGlobal = true }) => ({
    global: requireBoolean('isGlobal', isGlobal),
    providers: [
      fromOptions(OPTIONS, { provide: SETTINGS, useFactory: checkSeriesOptions }),
      { provide: Series, useFactory: madeSeries, inject: [SETTINGS, Boot] },
      { provide: CallMeter, useFactory: () => new CallMeter('series') },
    ],
    exports: [Series],
  }),
});

/**
 * Provides {@link Series}. While the app starts, the module checks each DataSource that has series: its formats, its subscriber
 * and its tables.
 */
@Module({ imports: [BootModule], providers: withoutOptions('SeriesModule', [SETTINGS, Series, CallMeter]) })
export class SeriesModule implements OnModuleInit {
  @Inject(SETTINGS) private readonly settings!: SeriesSettings;
  @Inject(Series) private readonly series!: Series;
  @Inject(CallMeter) private readonly meter!: CallMeter;
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Inject(Boot) private readonly boot!: Boot;
  readonly #logger = new Logger('SeriesModule');

  /**
   * Registers the series. The series of `@SeriesNumber()` columns need no entry.
   *
   * @throws InvalidOptionError if `options` is not an object, or `isGlobal` is invalid. The other options are checked while the
   * app starts.
   * @example
   * ```ts
   * SeriesModule.forRoot({
   *   createTable: true, // or run the migration CreateSnowflakeSeriesTables1767225600010
   *   series: { invoice: { format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin' } },
   * })
   * ```
   */
  static forRoot(options: SeriesModuleOptions & SeriesModuleExtras): DynamicModule {
    return feature.forRoot(this, options);
  }

  /**
   * Registers series whose options come from `useFactory`, `useClass` or `useExisting`.
   *
   * @throws InvalidOptionError if none of the three is given, or another option is invalid
   */
  static forRootAsync(options: SeriesModuleAsyncOptions): DynamicModule {
    return feature.forRootAsync(this, options);
  }

  /**
   * Creates the tables, or checks that they exist. Warns about scopes that the database can treat as equal.
   *
   * @throws SeriesTransactionError, InvalidOptionError, StoreRejectedError, StoreUnavailableError
   */
  onModuleInit(): Promise<void> {
    return this.boot.step(async () => {
      const { createTable } = this.settings;
      for (const dataSource of dataSourcesAmong(providersIn(this.modules))) {
        if (this.series.verify(dataSource)) await this.#prepare(dataSource, createTable);
      }
    });
  }

  async #prepare(dataSource: DataSource, createTable: boolean): Promise<void> {
    findSeriesSubscriber(dataSource)?.measureWith(this.meter);
    try {
      if (createTable) await createSeriesTables(dataSource);
      else if (!(await hasSeriesTables(dataSource))) throw missingTables();
      await requireSafeTables(dataSource);
      for (const warning of await this.series.warnings(dataSource)) this.#logger.warn(warning);
    } catch (error) {
      throw toSeriesError(error, dataSource.options);
    }
  }
}

function missingTables(): StoreRejectedError {
  return new StoreRejectedError(
    'The tables of series are missing. Run the migration CreateSnowflakeSeriesTables1767225600010, or set createTable: true.',
  );
}
