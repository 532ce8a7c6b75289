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
  private readonly named: ReadonlyMap<string, SeriesDefinition>;
  private readonly seen: Map<string, SeriesDefinition>;
  private readonly known = new WeakMap<object, ReadonlyMap<string, KnownSeries>>();

  /** @throws InvalidOptionError */
  constructor(series: Readonly<Record<string, SeriesOptions>> = {}) {
    requireObject('series', series, 'Pass an object with the options of each series by its name.');
    this.named = new Map(
      Object.entries(series).map(([name, options]) => [
        SERIES_NAME.check('series', name),
        namingOwner(`series.${name}`, () => new SeriesDefinition(options)),
      ]),
    );
    this.seen = new Map(this.named);
  }

  /** The options of each series by name, including those of the DataSources that were looked into so far. */
  get options(): Map<string, SeriesOptions> {
    return new Map([...this.seen].map(([name, { options }]) => [name, { ...options }]));
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
    // initialize() makes other metadata.
    const known = this.known.get(dataSource.entityMetadatas) ?? this.collect(dataSource);
    this.known.set(dataSource.entityMetadatas, known);
    return known;
  }

  private collect({ entityMetadatas }: DataSource): ReadonlyMap<string, KnownSeries> {
    const all = new Map<string, KnownSeries>();
    for (const [name, definition] of this.named) all.set(name, { definition, columns: [] });
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
      this.seen.set(series, definition);
    }
    return all;
  }
}
