import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { idMakersIn } from 'nestjs-snowflake';
import { systemClock } from 'nestjs-snowflake/core';
import { optionalProvider } from 'nestjs-snowflake/internal/kit/nest/optional-provider';
import type { Segments } from 'nestjs-snowflake-segments';
import type { Series } from 'nestjs-snowflake-series';
import type { AppFacts, SeriesFacts, WatchEvent } from '../api/console-api.js';
import { type Subject, UnknownMakerError } from '../http/subject.js';
import { makerWatch } from '../watch/maker-watch.js';
import type { Report } from '../watch/report.js';
import { segmentsWatch } from '../watch/segment-watch.js';
import type { ConsoleSettings } from './console-options.js';
import { CONSOLE_SETTINGS } from './console-tokens.js';

/** The app that the console is mounted in. */
@Injectable()
export class AppSubject implements Subject {
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Inject(ModuleRef) private readonly moduleRef!: ModuleRef;
  @Inject(CONSOLE_SETTINGS) private readonly settings!: ConsoleSettings;

  async facts(): Promise<AppFacts> {
    const { generate } = this.settings;
    const [segments, series] = await Promise.all([this.segments(), this.seriesOfApp()]);
    return {
      kind: 'app',
      makers: [...idMakersIn(this.modules)].map(([name, maker]) => ({
        name,
        layout: { ...maker.layout.toOptions(), epochMs: maker.layout.epochMs },
        store: maker.status().store,
      })),
      ...(generate && { generate: { maxCount: generate.maxCount } }),
      segments: segments !== undefined,
      series: series !== undefined,
    };
  }

  /** @throws UnknownMakerError; SnowflakeError of the maker */
  makeIds(name: string, count: number): string[] {
    const maker = idMakersIn(this.modules).get(name);
    if (!maker) throw new UnknownMakerError();
    return maker.nextIds(count);
  }

  async watch(report: Report): Promise<WatchEvent> {
    const makers = [...idMakersIn(this.modules)];
    const [watches, segments] = await Promise.all([
      Promise.all(makers.map(([name, maker]) => makerWatch(name, maker, systemClock, report))),
      this.segments(),
    ]);
    return { makers: watches, ...(segments && segmentsWatch(segments)) };
  }

  async series(): Promise<SeriesFacts | undefined> {
    const own = await this.seriesOfApp();
    if (!own) return undefined;
    const series = [...own.definitions()].map(([name, { format, resets, zone }]) => ({
      name,
      format,
      resets,
      zone,
    }));
    return { series };
  }

  private segments(): Promise<Segments | undefined> {
    return optionalProvider(this.moduleRef, loadSegments);
  }

  private seriesOfApp(): Promise<Series | undefined> {
    return optionalProvider(this.moduleRef, loadSeries);
  }
}

async function loadSegments() {
  try {
    return (await import('nestjs-snowflake-segments')).Segments;
  } catch {
    return undefined;
  }
}
async function loadSeries() {
  try {
    return (await import('nestjs-snowflake-series')).Series;
  } catch {
    return undefined;
  }
}
