import { type ConfigurableModuleAsyncOptions, Logger, type Provider } from '@nestjs/common';
import { requireBoolean } from 'nestjs-snowflake/internal/core/options/option-checks';
import { DRAIN_TIMEOUT_MS } from 'nestjs-snowflake/internal/kit/nest/bounded-drain';
import { featureModule, withoutOptions } from 'nestjs-snowflake/internal/kit/nest/feature-module';
import { fromOptions } from 'nestjs-snowflake/internal/kit/nest/deferred-options';
import { Lifecycle } from 'nestjs-snowflake/internal/kit/nest/lifecycle';
import { SegmentMeter } from 'nestjs-snowflake/internal/kit/segment-meter';
import { checkTags, type SegmentsOptions, type TagOptions } from '../segments/segments-options.js';
import { Segments } from '../segments/segments.js';
import { logSegments } from './segment-logger.js';
import { segmentReader } from './segment-reading.js';
import { getSegmentToken } from './segment.tokens.js';

/** Options of `SegmentModule`: those of {@link Segments}, and when it stops. */
export interface SegmentModuleOptions extends Omit<SegmentsOptions, 'tags'> {
  /**
   * Tags whose options need providers of the app, such as a DataSource for `startAfter`. List their names next to
   * `useFactory` as well: `@InjectSegment()` finds only those.
   *
   * @defaultValue `[]`
   */
  readonly tags?: readonly (string | TagOptions)[];
  /**
   * How long the shutdown of the app may take before the sources stop and return their unused numbers, in milliseconds.
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

/** Options next to `useFactory`, which must be known before it runs. */
export interface SegmentModuleExtras {
  /**
   * The tags that `@InjectSegment()` and `@SegmentId()` use, by name or as {@link TagOptions}.
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

const OPTIONS = Symbol('nestjs-snowflake: segment options');
const TAGS = Symbol('nestjs-snowflake: segment tags');

/** Creates the tags of a module and awaits their first segments, so that an app that has started has numbers. */
function startedSegments(
  { drainTimeoutMs: given, tags = [], ...others }: SegmentModuleOptions,
  named: readonly (string | TagOptions)[],
  lifecycle: Lifecycle<Segments>,
): Promise<Segments> {
  const drainTimeoutMs = DRAIN_TIMEOUT_MS.check('drainTimeoutMs', given);
  const segments = new Segments({ ...others, tags: mergedTags(named, tags) });
  logSegments(segments);
  const logger = new Logger('SegmentModule');
  return lifecycle.start(segments, {
    drainTimeoutMs,
    warn: (message) => logger.warn(message),
    ending: 'The segment sources stop and return their unused numbers.',
  });
}

/** How the options create a tag takes precedence over its name next to them. */
function mergedTags(
  named: readonly (string | TagOptions)[],
  own: readonly (string | TagOptions)[],
): readonly TagOptions[] {
  const byName = new Map([...checkTags(named), ...checkTags(own)].map((tag) => [tag.tag, tag]));
  return [...byName.values()];
}

function sourceProvider({ tag }: TagOptions): Provider {
  return {
    provide: getSegmentToken(tag),
    useFactory: (segments: Segments) => segments.source(tag),
    inject: [Segments],
  };
}

/** Providers of a module that is imported without `forRoot()`, which overrides them. They make startup fail. */
export const WITHOUT_OPTIONS: Provider[] = [...withoutOptions('SegmentModule', [Segments]), Lifecycle];

export const segmentFeature = featureModule<
  SegmentModuleOptions,
  'createSegmentOptions',
  SegmentModuleExtras
>({
  name: 'Segment',
  optionsToken: OPTIONS,
  factoryMethod: 'createSegmentOptions',
  extras: { tags: [], isGlobal: true },
  remedy: "Pass a store and tags, e.g. { store: sqlSegmentStore({ url }), tags: ['order'] }.",
  define({ tags = [], isGlobal = true }) {
    const checked = checkTags(tags);
    return {
      global: requireBoolean('isGlobal', isGlobal),
      providers: [
        { provide: TAGS, useValue: tags },
        fromOptions(OPTIONS, { provide: Segments, inject: [TAGS, Lifecycle], useFactory: startedSegments }),
        {
          provide: SegmentMeter,
          useFactory: (segments: Segments) => new SegmentMeter(segmentReader(segments)),
          inject: [Segments],
        },
        ...checked.map((each) => sourceProvider(each)),
      ],
      exports: [Segments, ...checked.map(({ tag }) => getSegmentToken(tag))],
    };
  },
});
