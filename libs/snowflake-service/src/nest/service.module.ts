import { type DynamicModule, Module } from '@nestjs/common';
import { BootModule } from 'nestjs-snowflake/internal/kit/nest/boot.module';
import { Lifecycle } from 'nestjs-snowflake/internal/kit/nest/lifecycle';
import { withoutOptions } from 'nestjs-snowflake/internal/kit/nest/feature-module';
import { serviceFeature, type SnowflakeServiceAsyncOptions } from './service.module-definition.js';
import type { SnowflakeServiceExtras, SnowflakeServiceOptions } from '../settings/service-options.js';

/**
 * Serves IDs, numbers of segments and leases of worker IDs over HTTP to clients in any language. It works with Express and with Fastify.
 * Global guards of the app run first. With the option `grpc`, it serves gRPC too.
 *
 * IDs come from the ID makers of the app, and numbers from its `SegmentModule`, if it has one. Leases come from the stores in `leases`, and
 * segments that clients claim from those in `segments`, to which each call is passed on.
 */
@Module({ imports: [BootModule], providers: withoutOptions('SnowflakeServiceModule', [Lifecycle]) })
export class SnowflakeServiceModule {
  /**
   * Mounts the service with these options. If they depend on the environment, use {@link forRootAsync}.
   *
   * @throws InvalidOptionError if `options` is not an object, or `path` is invalid. The other options are checked while the app starts.
   * @example
   * ```ts
   * SnowflakeServiceModule.forRoot({ authorize: bearerTokens([{ token, scopes: ['ids'] }]) })
   * ```
   */
  static forRoot(options: SnowflakeServiceOptions & SnowflakeServiceExtras): DynamicModule {
    return serviceFeature.forRoot(this, options);
  }

  /**
   * Mounts the service with options that come from `useFactory`, `useClass` or `useExisting`.
   *
   * @throws InvalidOptionError if none of the three is given, or `path` is invalid
   * @example
   * ```ts
   * SnowflakeServiceModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({
   *     authorize: bearerTokens([{ token: config.getOrThrow('SHOP_TOKEN'), scopes: ['leases'], names: ['shop'] }]),
   *     leases: { shop: redisLeaseStore({ url: config.getOrThrow('REDIS_URL'), namespace: 'shop' }) },
   *   }),
   * })
   * ```
   */
  static forRootAsync(options: SnowflakeServiceAsyncOptions): DynamicModule {
    return serviceFeature.forRootAsync(this, options);
  }
}
