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
import { bootOf } from './boot.js';
import { BoundedDrain } from './bounded-drain.js';
import { attachToDataSources, verifyDataSources } from './data-sources.js';
import { findIntervalRegistry, RegistrySchedule } from './registry-schedule.js';
import { requireAsyncOptions, requireRootOptions } from './registration-checks.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  type OPTIONS_TYPE,
  WITHOUT_OPTIONS,
} from './snowflake.module-definition.js';
import { DRAIN, INSTANCE_NAME, MAKER } from './snowflake.tokens.js';

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
@Module({ providers: WITHOUT_OPTIONS })
export class SnowflakeModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  constructor(
    @Inject(MAKER) private readonly maker: SnowflakeIdMaker,
    @Inject(INSTANCE_NAME) private readonly name: string,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(DRAIN) private readonly drain: BoundedDrain,
  ) {
    super();
  }

  /**
   * @throws InvalidOptionError when there are no options, or `name` or `isGlobal` is none. What the others say is
   * looked at when the app boots.
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    requireRootOptions(options);
    return super.forRoot(options);
  }

  /**
   * @throws InvalidOptionError when nothing says where the options come from, or what stands beside that cannot be
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    requireAsyncOptions(options);
    return withCheckedOptions(super.forRootAsync(options), options);
  }

  /** Renewals become a job of the app's scheduler; every DataSource gets its subscriber. */
  onModuleInit(): Promise<void> {
    return bootOf(this.modules).step(() => {
      const registry = findIntervalRegistry(this.modules);
      if (registry)
        this.maker.setRenewalSchedule(new RegistrySchedule(registry, `snowflake:lease:${this.name}`));
      attachToDataSources(this.modules, this.name, this.maker);
    });
  }

  /** Not earlier: only now have all named instances attached themselves. */
  async onApplicationBootstrap(): Promise<void> {
    const boot = bootOf(this.modules);
    await boot.step(() => verifyDataSources(this.modules));
    boot.end();
  }

  /** Before the HTTP server closes, which it may never do. */
  onModuleDestroy(): void {
    this.drain.begin();
  }

  /** The last hook of all: requests have drained, databases are closed. */
  onApplicationShutdown(): Promise<void> {
    return this.drain.end();
  }
}
