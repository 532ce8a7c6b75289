import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { InvalidOptionError, requireObject, SEGMENT_INSTANCE } from '../../core/index.js';
import { Boot, BootModule } from '../../nest/boot.js';
import { BoundedDrain } from '../../nest/bounded-drain.js';
import { attachToDataSources, verifyDataSources } from '../../nest/data-sources.js';
import { registeredNames } from '../../nest/instances.js';
import { Segments } from '../segments.js';
import {
  ConfigurableModuleClass,
  type SegmentModuleAsyncOptions,
  type SegmentModuleExtras,
  type SegmentModuleOptions,
} from './segment.module-definition.js';
import { SEGMENT_DRAIN } from './segment.tokens.js';

const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;
const REMEDY = 'Pass an object with one of useFactory, useClass, useExisting.';

/**
 * Provides a source of numbers for each tag, which has its first segment before the app has booted.
 *
 * ```ts
 * SegmentModule.forRoot({ tags: ['order'] })
 * ```
 *
 * The counters live in the app's own database unless `store` names another place.
 *
 * Global unless `isGlobal: false`. Inject a source with `@InjectSegment('order')`, and {@link Segments} for tags that are made
 * while the app runs. Call `app.enableShutdownHooks()`, so that a stopping process gives its rests back: when its requests have
 * drained, and `drainTimeoutMs` after the shutdown began at the latest. Register it once, in the root module.
 */
@Module({ imports: [BootModule] })
export class SegmentModule
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  @Inject(Segments) private readonly segments!: Segments;
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Inject(Boot) private readonly boot!: Boot;
  @Inject(SEGMENT_DRAIN) private readonly drain!: BoundedDrain;

  /**
   * Registers the tags with these options.
   *
   * @throws InvalidOptionError if `options` is not an object, or `tags` or `isGlobal` is invalid. The other options are
   * checked while the app boots.
   */
  static forRoot(options: SegmentModuleOptions & SegmentModuleExtras): DynamicModule {
    requireObject('forRoot(options)', options, "Pass at least tags, e.g. { tags: ['order'] }.");
    return { ...ConfigurableModuleClass.forRoot(options), module: this };
  }

  /**
   * Registers the tags with options that come from `useFactory`, `useClass` or `useExisting`.
   *
   * @throws InvalidOptionError as {@link forRoot}
   */
  static forRootAsync(options: SegmentModuleAsyncOptions): DynamicModule {
    requireObject('forRootAsync(options)', options, REMEDY);
    if (!SOURCES.some((name) => Boolean(options[name]))) {
      const problem = 'must say where the options come from';
      throw new InvalidOptionError('forRootAsync(options)', 'no source', problem, REMEDY);
    }
    return { ...ConfigurableModuleClass.forRootAsync(options), module: this };
  }

  /** Every DataSource gets the sources of its `@SegmentId()` columns. */
  onModuleInit(): Promise<void> {
    return this.boot.step(() => {
      for (const tag of this.segments.tags)
        attachToDataSources(this.modules, SEGMENT_INSTANCE + tag, this.segments.source(tag));
    });
  }

  /** With a SnowflakeModule in the app, that one verifies the DataSources. */
  async onApplicationBootstrap(): Promise<void> {
    if (registeredNames(this.modules).length > 0) return;
    await this.boot.step(() => verifyDataSources(this.modules));
    this.boot.end();
  }

  /** Before the HTTP server closes, which it may never do. */
  onModuleDestroy(): void {
    this.drain.begin();
  }

  /** The last hook: requests have drained and databases are closed. */
  onApplicationShutdown(): Promise<void> {
    return this.drain.end();
  }
}
