import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { AppDatabases } from 'nestjs-snowflake/internal/kit/nest/app-databases';
import { Boot } from 'nestjs-snowflake/internal/kit/nest/boot';
import { BootModule } from 'nestjs-snowflake/internal/kit/nest/boot.module';
import { Segments } from '../segments/segments.js';
import {
  segmentFeature,
  type SegmentModuleAsyncOptions,
  type SegmentModuleExtras,
  type SegmentModuleOptions,
  WITHOUT_OPTIONS,
} from './segment.module-definition.js';

/**
 * Provides a source of numbers for each tag. When the app has booted, each source has its first segment.
 *
 * The module is global unless you set `isGlobal: false`. Register it once, in the root module. Inject a source with
 * `@InjectSegment('ticket')`, and {@link Segments} for tags that are created while the app runs. Call
 * `app.enableShutdownHooks([], { useProcessExit: true })`, so that a stopping process returns its unused numbers. It
 * does so when its requests have drained, or at the latest `drainTimeoutMs` after the shutdown began.
 */
@Module({ imports: [BootModule], providers: WITHOUT_OPTIONS })
export class SegmentModule implements OnModuleInit {
  @Inject(Segments) private readonly segments!: Segments;
  @Inject(AppDatabases) private readonly databases!: AppDatabases;
  @Inject(Boot) private readonly boot!: Boot;

  /**
   * Registers the tags with these options. If the options depend on the environment, use {@link forRootAsync}.
   *
   * @throws InvalidOptionError if `options` is not an object, or `tags` or `isGlobal` is invalid. The other options are
   * checked while the app starts.
   * @example
   * ```ts
   * SegmentModule.forRoot({
   *   tags: ['ticket'],
   *   store: sqlSegmentStore({ url: 'sqlite:/var/lib/shop/shop.db', createTable: true }),
   * })
   * ```
   */
  static forRoot(options: SegmentModuleOptions & SegmentModuleExtras): DynamicModule {
    return segmentFeature.forRoot(this, options);
  }

  /**
   * Registers the tags with options that come from `useFactory`, `useClass` or `useExisting`.
   *
   * @throws InvalidOptionError if none of the three is given, or another option is invalid
   * @example
   * ```ts
   * SegmentModule.forRootAsync({
   *   tags: ['ticket'],
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({
   *     store: sqlSegmentStore({ url: config.getOrThrow('DATABASE_URL'), createTable: true }),
   *   }),
   * })
   * ```
   */
  static forRootAsync(options: SegmentModuleAsyncOptions): DynamicModule {
    return segmentFeature.forRootAsync(this, options);
  }

  /** Every database gets the sources of its `@SegmentId()` columns. */
  onModuleInit(): Promise<void> {
    return this.boot.step(() => {
      for (const name of this.segments.tags)
        this.databases.attach({ kind: 'segment', name }, this.segments.source(name));
    });
  }
}
