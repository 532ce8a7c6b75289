import {
  ConfigurableModuleBuilder,
  Inject,
  Logger,
  Module,
  type ConfigurableModuleAsyncOptions,
  type DynamicModule,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { InstanceChecker, type DataSource } from 'typeorm';
import {
  InvalidOptionError,
  requireBoolean,
  requireObject,
  requireOptions,
  StoreRejectedError,
} from '../core/index.js';
import type { SeriesOptions } from '../core/series/index.js';
import { Boot, BootModule } from '../nest/boot.js';
import { toSeriesError } from './database-errors.js';
import { createSeriesTables, hasSeriesTables } from './create-series-tables.js';
import { Series } from './series.js';

/** Options of {@link SeriesModule}. */
export interface SeriesModuleOptions {
  /**
   * The series by name, for `series.next()`. Those of `@SeriesNumber()` columns are known without it.
   *
   * @defaultValue `{}`
   */
  readonly series?: Readonly<Record<string, SeriesOptions>>;
  /**
   * Whether the module creates the missing tables when the app boots.
   *
   * If `false`, run the migration `CreateSnowflakeSeriesTables1767225600010`.
   *
   * @defaultValue `false`
   */
  readonly createTables?: boolean;
}

/** Options beside `useFactory`, which must be known before it runs. */
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

const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;
const REMEDY = 'Pass an object with one of useFactory, useClass, useExisting.';
const OPTIONS = Symbol('nestjs-snowflake: series options');

function madeSeries(options: SeriesModuleOptions, boot: Boot): Promise<Series> {
  return boot.step(() => {
    requireOptions('options', options, { series: true, createTables: true });
    requireBoolean('createTables', options.createTables ?? false);
    return new Series(options.series);
  });
}

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<SeriesModuleOptions>({
  moduleName: 'Series',
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createSeriesOptions')
  .setExtras<SeriesModuleExtras>({ isGlobal: true }, (definition, { isGlobal = true }) => ({
    ...definition,
    global: requireBoolean('isGlobal', isGlobal),
    providers: [
      ...(definition.providers ?? []),
      { provide: Series, useFactory: madeSeries, inject: [OPTIONS, Boot] },
    ],
    exports: [...(definition.exports ?? []), Series],
  }))
  .build();

/**
 * Provides {@link Series}. Checks each DataSource of the app with series while the app boots: its formats, its subscriber and
 * its tables.
 *
 * ```ts
 * SeriesModule.forRoot({
 *   series: { invoice: { format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin' } },
 * })
 * ```
 */
@Module({ imports: [BootModule] })
export class SeriesModule implements OnModuleInit {
  @Inject(OPTIONS) private readonly options!: SeriesModuleOptions;
  @Inject(Series) private readonly series!: Series;
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Inject(Boot) private readonly boot!: Boot;
  readonly #logger = new Logger('SeriesModule');

  /**
   * Registers the series.
   *
   * @throws InvalidOptionError if `options` is not an object, or `isGlobal` is invalid. The other options are checked while the
   * app boots.
   */
  static forRoot(options: SeriesModuleOptions & SeriesModuleExtras): DynamicModule {
    requireObject('forRoot(options)', options, 'Pass an object, which may be empty.');
    return { ...ConfigurableModuleClass.forRoot(options), module: this };
  }

  /**
   * Registers series whose options come from `useFactory`, `useClass` or `useExisting`.
   *
   * @throws InvalidOptionError as {@link forRoot}
   */
  static forRootAsync(options: SeriesModuleAsyncOptions): DynamicModule {
    requireObject('forRootAsync(options)', options, REMEDY);
    if (!SOURCES.some((name) => Boolean(options[name]))) {
      const problem = 'must say where the options come from';
      throw new InvalidOptionError('forRootAsync(options)', 'no source', problem, REMEDY);
    }
    return { ...ConfigurableModuleClass.forRootAsync(options), module: this };
  }

  /**
   * Creates or looks for the tables. Warns of scopes that the database can take for equal.
   *
   * @throws SeriesTransactionError, InvalidOptionError, StoreRejectedError, StoreUnavailableError
   */
  onModuleInit(): Promise<void> {
    return this.boot.step(async () => {
      for (const dataSource of dataSourcesIn(this.modules)) {
        if (this.series.verify(dataSource)) await this.#prepare(dataSource);
      }
    });
  }

  async #prepare(dataSource: DataSource): Promise<void> {
    try {
      if (this.options.createTables) await createSeriesTables(dataSource);
      else if (!(await hasSeriesTables(dataSource))) throw missingTables();
      for (const warning of await this.series.warnings(dataSource)) this.#logger.warn(warning);
    } catch (error) {
      throw toSeriesError(error, dataSource.options);
    }
  }
}

function missingTables(): StoreRejectedError {
  return new StoreRejectedError(
    'The tables of series are missing. Run the migration CreateSnowflakeSeriesTables1767225600010, or set createTables: true.',
  );
}

/** Returns the initialized DataSources among the providers. Recognizes them by TypeORM's own mark. */
function dataSourcesIn(modules: ModulesContainer): Set<DataSource> {
  const found = new Set<DataSource>();
  for (const { providers } of modules.values()) {
    for (const { instance } of providers.values()) {
      const provided: unknown = instance;
      if (InstanceChecker.isDataSource(provided) && provided.isInitialized) found.add(provided);
    }
  }
  return found;
}
