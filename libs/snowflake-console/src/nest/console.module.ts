import { type DynamicModule, Inject, Module, type NestModule, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BootModule, hasSource, withoutOptions } from 'nestjs-snowflake/kit-nest';
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
 * Mounts the console: a page that decodes and makes IDs, designs layouts, and shows who holds which worker ID.
 *
 * ```ts
 * SnowflakeConsoleModule.forRoot({ path: '/snowflake', authorize: AdminGuard })
 * ```
 *
 * Works on Express and on Fastify. The guards of the app run first.
 */
@Module({
  imports: [BootModule],
  providers: withoutOptions('SnowflakeConsoleModule', [CONSOLE_CONTROLLER]),
})
export class SnowflakeConsoleModule implements NestModule {
  @Inject(CONSOLE_CONTROLLER) private readonly controller!: Type<object>;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;

  /** Mounts the console with these options. @throws InvalidOptionError */
  static forRoot(options: SnowflakeConsoleOptions & SnowflakeConsoleExtras): DynamicModule {
    const { path, ...others } = Object(options) as SnowflakeConsoleOptions & SnowflakeConsoleExtras;
    checkPath(path);
    checkConsoleOptions(others, process.env['NODE_ENV']);
    return consoleFeature.forRoot(this, options);
  }

  /**
   * Mounts the console with options that come from `useFactory`, `useClass` or `useExisting`. They are checked while the app
   * boots. Without a source of options it works like {@link forRoot}.
   *
   * @throws InvalidOptionError
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
