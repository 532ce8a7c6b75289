import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { AppDatabases } from '../kit/nest/app-databases.js';
import { BootModule } from '../kit/nest/boot.module.js';
import { Boot } from '../kit/nest/boot.js';
import type { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';
import type { SnowflakeModuleOptions } from './module-options.js';
import {
  snowflakeFeature,
  type SnowflakeModuleAsyncOptions,
  type SnowflakeModuleExtras,
  WITHOUT_OPTIONS,
} from './snowflake.module-definition.js';
import { INSTANCE_NAME, MAKER } from './snowflake.tokens.js';

/**
 * Provides a {@link SnowflakeIdMaker} that holds a lease before the app has booted.
 *
 * The module is global unless you set `isGlobal: false`. Each instance needs its own name; if two have the same one,
 * startup fails with DuplicateInstanceError. Call `app.enableShutdownHooks([], { useProcessExit: true })`, so that a
 * stopping process releases its lease. It does so when its requests have drained, or at the latest `drainTimeoutMs`
 * after the shutdown began.
 */
@Module({ imports: [BootModule], providers: WITHOUT_OPTIONS })
export class SnowflakeModule implements OnModuleInit {
  @Inject(MAKER) private readonly maker!: SnowflakeIdMaker;
  @Inject(INSTANCE_NAME) private readonly name!: string;
  @Inject(Boot) private readonly boot!: Boot;
  @Inject(AppDatabases) private readonly databases!: AppDatabases;

  /**
   * Registers an instance with these options. If the options depend on the environment, use {@link forRootAsync}. Without a store, it
   * keeps its lease in memory if `NODE_ENV` is `development` or `test`, and startup fails otherwise.
   *
   * @throws InvalidOptionError if `options` is not an object, or `name` or `isGlobal` is invalid. The other options are
   * checked while the app starts.
   * @example
   * ```ts
   * SnowflakeModule.forRoot({
   *   epoch: '2024-01-01T00:00:00Z', // never change it later
   *   store: redisLeaseStore({ url: 'redis://redis:6379', namespace: 'shop' }),
   * })
   * ```
   */
  static forRoot(options: SnowflakeModuleOptions & SnowflakeModuleExtras = {}): DynamicModule {
    return snowflakeFeature.forRoot(this, options);
  }

  /**
   * Registers an instance whose options come from `useFactory`, `useClass` or `useExisting`.
   *
   * @throws InvalidOptionError if none of the three is given, or another option is invalid
   * @example
   * ```ts
   * SnowflakeModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({
   *     epoch: '2024-01-01T00:00:00Z', // never change it later
   *     store: sqlLeaseStore({ url: config.getOrThrow('DATABASE_URL'), namespace: 'shop', createTable: true }),
   *   }),
   * })
   * ```
   */
  static forRootAsync(options: SnowflakeModuleAsyncOptions): DynamicModule {
    return snowflakeFeature.forRootAsync(this, options);
  }

  /** Every database gets the source of its IDs. */
  onModuleInit(): Promise<void> {
    return this.boot.step(() => this.databases.attach({ kind: 'maker', name: this.name }, this.maker));
  }
}
