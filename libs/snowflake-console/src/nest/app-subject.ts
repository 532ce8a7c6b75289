import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { idMakersIn } from 'nestjs-snowflake';
import {
  type BitLayout,
  type BitLayoutOptions,
  type LowerFieldName,
  systemClock,
} from 'nestjs-snowflake/core';
import type { AppFacts, SegmentWatch, SeriesFacts, WatchEvent } from '../console-api.js';
import { UnknownMakerError } from '../http/subject.js';
import { makerWatch } from '../watch/maker-watch.js';
import { segmentWatch } from '../watch/segment-watch.js';

/** The app that the console is mounted in. */
@Injectable()
export class AppSubject {
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Inject(ModuleRef) private readonly moduleRef!: ModuleRef;

  facts(maxCount: number | undefined): AppFacts {
    return {
      makers: [...idMakersIn(this.modules)].map(([name, maker]) => ({
        name,
        layout: { ...layoutOptions(maker.layout), epochMs: maker.layout.epochMs },
        store: maker.status().store,
      })),
      ...(maxCount !== undefined && { generate: { maxCount } }),
      segments: this.hasModule('SegmentModule'),
      series: this.hasModule('SeriesModule'),
    };
  }

  /** @throws UnknownMakerError; SnowflakeError of the maker */
  makeIds(name: string, count: number): string[] {
    const maker = idMakersIn(this.modules).get(name);
    if (!maker) throw new UnknownMakerError();
    return maker.nextIds(count);
  }

  async watch(): Promise<WatchEvent> {
    const makers = [...idMakersIn(this.modules)].map(([name, maker]) => makerWatch(name, maker, systemClock));
    const segments = await this.segments();
    return { makers: await Promise.all(makers), ...(segments && { segments }) };
  }

  async series(): Promise<SeriesFacts | undefined> {
    if (!this.hasModule('SeriesModule')) return undefined;
    const { Series } = await import('nestjs-snowflake/series');
    const definitions = this.moduleRef.get(Series, { strict: false }).definitions();
    const series = [...definitions].map(([name, { format, resets, zone }]) => ({
      name,
      format,
      resets,
      zone,
    }));
    return { series };
  }

  /** The entry point is loaded only if the app has loaded it: it needs TypeORM. */
  private async segments(): Promise<SegmentWatch[] | undefined> {
    if (!this.hasModule('SegmentModule')) return undefined;
    const { Segments } = await import('nestjs-snowflake/segments');
    const segments = this.moduleRef.get(Segments, { strict: false });
    return segments.tags.map((tag) => segmentWatch(segments.source(tag).status()));
  }

  private hasModule(name: string): boolean {
    return [...this.modules.values()].some((module) => module.name === name);
  }
}

/** Returns the options that make a layout again. */
function layoutOptions(layout: BitLayout): BitLayoutOptions {
  const order = layout.fields
    .map(({ name }) => name)
    .filter((name): name is LowerFieldName => name !== 'timestamp');
  return {
    timestampBits: layout.field('timestamp').bits,
    datacenterBits: layout.field('datacenter').bits,
    workerBits: layout.field('worker').bits,
    sequenceBits: layout.field('sequence').bits,
    tickMs: layout.tickMs,
    order: withAllFields(order),
  };
}

/** A layout leaves fields of no bits out, and its options want a worker and a sequence at least. */
function withAllFields(order: readonly LowerFieldName[]): LowerFieldName[] {
  const all: readonly LowerFieldName[] = ['datacenter', 'worker', 'sequence'];
  return [...all.filter((name) => !order.includes(name)), ...order];
}
