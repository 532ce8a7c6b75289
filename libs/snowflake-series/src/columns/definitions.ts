import type { DataSource } from 'typeorm';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { requireObject } from 'nestjs-snowflake/internal/core/options/option-checks';
import { namingOwner } from 'nestjs-snowflake/internal/core/options/option-owner';
import { SeriesDefinition } from '../core/series-definition.js';
import type { SeriesOptions } from '../core/series-options.js';
import { SERIES_NAME } from '../core/keys.js';
import { seriesColumnsOf, type SeriesColumn } from './series-columns.js';

/** The rules of a series, and the columns that have its numbers. */
export interface KnownSeries {
  readonly definition: SeriesDefinition;
  readonly columns: readonly SeriesColumn[];
}

/** Knows every series by its name: from the options, and from the entities of a DataSource. */
export class Definitions {
  private readonly ofOptions: ReadonlyMap<string, SeriesDefinition>;
  /** Those of the options, and of the DataSources that were looked into so far. */
  private readonly all: Map<string, SeriesDefinition>;
  /** By the `entityMetadatas` of a DataSource, of which each `initialize()` makes new ones. */
  private readonly inEntities = new WeakMap<object, ReadonlyMap<string, KnownSeries>>();

  /** @throws InvalidOptionError */
  constructor(series: Readonly<Record<string, SeriesOptions>> = {}) {
    requireObject('series', series, 'Pass an object with the options of each series by its name.');
    this.ofOptions = new Map(
      Object.entries(series).map(([name, options]) => [
        SERIES_NAME.check('series', name),
        namingOwner(`series.${name}`, () => new SeriesDefinition(options)),
      ]),
    );
    this.all = new Map(this.ofOptions);
  }

  /** The options of each series by name. */
  get options(): Map<string, SeriesOptions> {
    return new Map([...this.all].map(([name, { options }]) => [name, { ...options }]));
  }

  /** Returns a series. @throws InvalidOptionError if it is unknown, or declared twice with other rules */
  find(name: string, dataSource: DataSource): KnownSeries {
    const all = this.in(dataSource);
    const found = all.get(SERIES_NAME.check('series', name));
    if (found) return found;
    const names = [...all.keys()].join(', ') || 'none';
    const remedy = `Declare it in SeriesModule.forRoot({ series }), or with @SeriesNumber() on an entity. Known: ${names}.`;
    throw new InvalidOptionError('series', name, 'is not a known series', remedy);
  }

  /** Returns the series of a DataSource. @throws InvalidOptionError if one is declared twice with other rules */
  in(dataSource: DataSource): ReadonlyMap<string, KnownSeries> {
    const known = this.inEntities.get(dataSource.entityMetadatas) ?? this.collect(dataSource);
    this.inEntities.set(dataSource.entityMetadatas, known);
    return known;
  }

  private collect({ entityMetadatas }: DataSource): ReadonlyMap<string, KnownSeries> {
    const all = new Map<string, KnownSeries>();
    for (const [name, definition] of this.ofOptions) all.set(name, { definition, columns: [] });
    for (const column of entityMetadatas.flatMap((metadata) => seriesColumnsOf(metadata))) {
      const { series, definition, label } = column;
      const known = all.get(series) ?? { definition, columns: [] };
      const differences = definition.differencesFrom(known.definition);
      if (differences !== '') {
        const problem = `has other rules than ${known.columns[0]?.label ?? 'the options of SeriesModule'}: ${differences}`;
        const remedy = 'Give both the same options, or one of them another name.';
        throw new InvalidOptionError(`${label}: series`, series, problem, remedy);
      }
      all.set(series, { ...known, columns: [...known.columns, column] });
      this.all.set(series, definition);
    }
    return all;
  }
}
