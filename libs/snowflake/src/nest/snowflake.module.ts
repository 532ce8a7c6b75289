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
import type { SnowflakeIdMaker } from '../maker/index.js';
import { withCheckedOptions } from './async-options.js';
import { Boot, BootModule } from './boot.js';
import { attachToDataSources, verifyDataSources } from './data-sources.js';
import { findIntervalRegistry, RegistrySchedule } from './registry-schedule.js';
import { requireAsyncOptions, requireRootOptions } from './registration-checks.js';
import type { SnowflakeModuleOptions } from './module-options.js';
import { OwnMaker } from './own-maker.js';
import {
  ConfigurableModuleClass,
  type SnowflakeModuleAsyncOptions,
  type SnowflakeModuleExtras,
  WITHOUT_OPTIONS,
} from './snowflake.module-definition.js';
import { INSTANCE_NAME, MAKER } from './snowflake.tokens.js';

/**
 * Provides a {@link SnowflakeIdMaker} that holds a lease before the app has booted.
 *
 * ```ts
 * SnowflakeModule.forRoot({ store: redisLeaseStore({ url, namespace: 'shop' }) })
 * SnowflakeModule.forRootAsync({ name: 'audit', inject: [ConfigService], useFactory: (config) => ({ … }) })
 * ```
 *
 * Global unless `isGlobal: false`. Each instance needs a name of its own (DuplicateInstanceError otherwise). Call
 * `app.enableShutdownHooks()`, so that a stopping process releases its lease: when its requests have drained, and
 * `drainTimeoutMs` after the shutdown began at the latest.
 */
@Module({ imports: [BootModule], providers: WITHOUT_OPTIONS })
export class SnowflakeModule
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  @Inject(MAKER) private readonly maker!: SnowflakeIdMaker;
  @Inject(INSTANCE_NAME) private readonly name!: string;
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Inject(Boot) private readonly boot!: Boot;
  @Inject(OwnMaker) private readonly own!: OwnMaker;

  /**
   * Registers an instance with these options.
   *
   * @throws InvalidOptionError if `options` is not an object, or `name` or `isGlobal` is invalid. The other options are
   * checked while the app boots.
   */
  static forRoot(options: SnowflakeModuleOptions & SnowflakeModuleExtras): DynamicModule {
    requireRootOptions(options);
    return { ...ConfigurableModuleClass.forRoot(options), module: this };
  }

  /**
   * Registers an instance whose options come from `useFactory`, `useClass` or `useExisting`.
   *
   * @throws InvalidOptionError if none of the three is given, or an option beside them is invalid
   */
  static forRootAsync(options: SnowflakeModuleAsyncOptions): DynamicModule {
    requireAsyncOptions(options);
    const definition = { ...ConfigurableModuleClass.forRootAsync(options), module: this };
    return withCheckedOptions(definition, options);
  }

  /** Renewals become a job of the app's scheduler; every DataSource gets its subscriber. */
  onModuleInit(): Promise<void> {
    return this.boot.step(() => {
      const registry = findIntervalRegistry(this.modules);
      if (registry) this.own.renewBy(new RegistrySchedule(registry, `snowflake:lease:${this.name}`));
      attachToDataSources(this.modules, this.name, this.maker);
    });
  }

  /** Not earlier: all named instances must have attached themselves. */
  async onApplicationBootstrap(): Promise<void> {
    await this.boot.step(() => verifyDataSources(this.modules));
    this.boot.end();
  }

  /** Before the HTTP server closes, which it may never do. */
  onModuleDestroy(): void {
    this.own.beginDrain();
  }

  /** The last hook: requests have drained and databases are closed. */
  onApplicationShutdown(): Promise<void> {
    return this.own.endDrain();
  }
}
