import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  Logger,
  type Provider,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { redact } from '../../core/errors/show-value.js';
import { InvalidOptionError, requireBoolean, systemClock } from '../../core/index.js';
import { Boot } from '../../nest/boot.js';
import { BoundedDrain, DRAIN_TIMEOUT_MS } from '../../nest/bounded-drain.js';
import type { SegmentStore } from '../segment-store.js';
import { checkTags, type SegmentsOptions, type TagOptions } from '../segments-options.js';
import { Segments } from '../segments.js';
import { sqlSegmentStore } from '../sql/index.js';
import { logSegments } from './segment-logger.js';
import { getSegmentToken, SEGMENT_DRAIN, SEGMENT_OPTIONS, SEGMENT_TAGS } from './segment.tokens.js';

/** Options of `SegmentModule`: those of {@link Segments}, and how it stops. */
export interface SegmentModuleOptions extends Omit<SegmentsOptions, 'store' | 'tags'> {
  /**
   * Where the counters live: `sqlSegmentStore({ … })`, or `memorySegmentStore()` for tests.
   *
   * By default, the database of the app: the DataSource that `TypeOrmModule` provides without a name. Its `synchronize` says
   * whether missing tables are created; otherwise run the migration `CreateSnowflakeSegmentTables1767225600002`.
   *
   * @defaultValue `sqlSegmentStore({ dataSource })`
   */
  readonly store?: SegmentStore;
  /**
   * How to create tags, as {@link TagOptions}, for those that need providers of the app, such as a DataSource for `startAfter`.
   * Name them beside `useFactory` as well: `@InjectSegment()` knows only those.
   *
   * @defaultValue `[]`
   */
  readonly tags?: readonly (string | TagOptions)[];
  /**
   * How long the shutdown of the app may take before the sources stop and give their rests back, in milliseconds.
   * Bounds: 1 to 86,400,000.
   *
   * @defaultValue `10000`
   */
  readonly drainTimeoutMs?: number;
}

/** A class that provides the options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface SegmentOptionsFactory {
  createSegmentOptions(): SegmentModuleOptions | Promise<SegmentModuleOptions>;
}

/** Options beside `useFactory`, which must be known before it runs. */
export interface SegmentModuleExtras {
  /**
   * The tags that `@InjectSegment()` and `@SegmentId()` name, by name or as {@link TagOptions}.
   *
   * @defaultValue `[]`
   */
  readonly tags?: readonly (string | TagOptions)[];
  /**
   * Whether every module can inject the sources without importing this one.
   *
   * @defaultValue `true`
   */
  readonly isGlobal?: boolean;
}

/** What `forRootAsync` takes: the source of the options, and the extras. */
export type SegmentModuleAsyncOptions = ConfigurableModuleAsyncOptions<
  SegmentModuleOptions,
  'createSegmentOptions'
> &
  SegmentModuleExtras;

const DRAIN_ENDING = 'The sources of segments stop and give their rests back.';

/** Makes the tags of a module and awaits their first segments: an app that boots has numbers. */
function startedSegments(
  options: SegmentModuleOptions,
  tags: readonly (string | TagOptions)[],
  boot: Boot,
  dataSource?: DataSource,
): Promise<Segments> {
  return boot.step(async () => {
    if (typeof options !== 'object' || options === null) {
      const remedy = 'Return an object from useFactory.';
      throw new InvalidOptionError('options', redact(options), 'are missing', remedy);
    }
    const { drainTimeoutMs, store = storeOf(dataSource), tags: own = [], ...others } = options;
    DRAIN_TIMEOUT_MS.check('drainTimeoutMs', drainTimeoutMs);
    const segments = new Segments({ ...others, store, tags: mergedTags(tags, own) });
    boot.add(segments);
    logSegments(segments);
    await segments.start();
    return segments;
  });
}

/** How the options create a tag wins over its name beside them. */
function mergedTags(
  named: readonly (string | TagOptions)[],
  own: readonly (string | TagOptions)[],
): readonly TagOptions[] {
  const byName = new Map([...checkTags(named), ...checkTags(own)].map((tag) => [tag.tag, tag]));
  return [...byName.values()];
}

function storeOf(dataSource: DataSource | undefined): SegmentStore {
  if (dataSource) {
    return sqlSegmentStore({ dataSource, createTable: dataSource.options.synchronize === true });
  }
  const remedy = 'Pass store: sqlSegmentStore({ … }), or import TypeOrmModule.forRoot() without a name.';
  throw new InvalidOptionError('store', undefined, 'is missing, and the app provides no DataSource', remedy);
}

function drainOf(segments: Segments, { drainTimeoutMs }: SegmentModuleOptions): BoundedDrain {
  const logger = new Logger('SegmentModule');
  const warn = (message: string): void => logger.warn(message);
  const timeoutMs = DRAIN_TIMEOUT_MS.check('drainTimeoutMs', drainTimeoutMs);
  return new BoundedDrain(segments, timeoutMs, systemClock, warn, DRAIN_ENDING);
}

function sourceProvider({ tag }: TagOptions): Provider {
  return {
    provide: getSegmentToken(tag),
    useFactory: (segments: Segments) => segments.source(tag),
    inject: [Segments],
  };
}

export const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<SegmentModuleOptions>({
  moduleName: 'Segment',
  optionsInjectionToken: SEGMENT_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createSegmentOptions')
  .setExtras<SegmentModuleExtras>(
    { tags: [], isGlobal: true },
    (definition, { tags = [], isGlobal = true }) => {
      const checked = checkTags(tags);
      const sources = checked.map((each) => sourceProvider(each));
      const tokens = checked.map(({ tag }) => getSegmentToken(tag));
      return {
        ...definition,
        global: requireBoolean('isGlobal', isGlobal),
        providers: [
          ...(definition.providers ?? []),
          { provide: SEGMENT_TAGS, useValue: tags },
          {
            provide: Segments,
            useFactory: startedSegments,
            inject: [SEGMENT_OPTIONS, SEGMENT_TAGS, Boot, { token: DataSource, optional: true }],
          },
          { provide: SEGMENT_DRAIN, useFactory: drainOf, inject: [Segments, SEGMENT_OPTIONS] },
          ...sources,
        ],
        exports: [...(definition.exports ?? []), Segments, ...tokens],
      };
    },
  )
  .build();
