import { type DynamicModule, Inject, Module, type NestModule, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BootModule } from 'nestjs-snowflake/internal/kit/nest/boot.module';
import { withoutOptions } from 'nestjs-snowflake/internal/kit/nest/feature-module';
import { hasSource } from 'nestjs-snowflake/internal/kit/nest/registration-checks';
import {
  checkConsoleOptions,
  checkPath,
  type SnowflakeConsoleExtras,
  type SnowflakeConsoleOptions,
} from './console-options.js';
import { routeBelow } from './console.controller.js';
import { CONSOLE_CONTROLLER } from './console-tokens.js';
import { consoleFeature, type SnowflakeConsoleAsyncOptions } from './console.module-definition.js';

/**
 * Mounts the console: a page that decodes and generates IDs, designs layouts, and shows who holds which worker ID. It works with
 * Express and with Fastify. The guards of the app run first.
 */
@Module({
  imports: [BootModule],
  providers: withoutOptions('SnowflakeConsoleModule', [CONSOLE_CONTROLLER]),
})
export class SnowflakeConsoleModule implements NestModule {
  @Inject(CONSOLE_CONTROLLER) private readonly controller!: Type<object>;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;

  /**
   * Mounts the console with these options. `authorize` is required.
   *
   * @throws InvalidOptionError if an option is invalid
   * @example
   * ```ts
   * SnowflakeConsoleModule.forRoot({ path: 'admin/snowflake', authorize: AdminGuard })
   * ```
   */
  static forRoot(options: SnowflakeConsoleOptions & SnowflakeConsoleExtras): DynamicModule {
    const { path, ...others } = Object(options) as SnowflakeConsoleOptions & SnowflakeConsoleExtras;
    checkPath(path);
    checkConsoleOptions(others, process.env['NODE_ENV']);
    return consoleFeature.forRoot(this, options);
  }

  /**
   * Mounts the console with options from `useFactory`, `useClass` or `useExisting`, which are checked while the app
   * starts. Without any of these, it works like {@link forRoot}.
   *
   * @throws InvalidOptionError if another option is invalid
   * @example
   * ```ts
   * SnowflakeConsoleModule.forRootAsync({
   *   authorize: AdminGuard,
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ generate: config.get('NODE_ENV') !== 'production' }),
   * })
   * ```
   */
  static forRootAsync(options: SnowflakeConsoleAsyncOptions): DynamicModule {
    const given = Object(options) as SnowflakeConsoleAsyncOptions;
    return consoleFeature.forRootAsync(this, hasSource(given) ? given : { ...given, useFactory: () => ({}) });
  }

  /** Adds the routes. Nest calls this before it reads them. */
  configure(): void {
    routeBelow(this.controller, this.host.httpAdapter.getType());
  }
}
