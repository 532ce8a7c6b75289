import { type ConfigurableModuleAsyncOptions, ConfigurableModuleBuilder } from '@nestjs/common';
import { AppSubject } from './app-subject.js';
import {
  checkConsoleOptions,
  checkPath,
  type ConsoleAuthorization,
  type ConsoleSettings,
  type SnowflakeConsoleExtras,
  type SnowflakeConsoleOptions,
} from './console-options.js';
import { consoleController } from './console.controller.js';
import { ConsoleGuard } from './console.guard.js';
import { ConsoleHost } from './console.host.js';
import { CONSOLE_CONTROLLER, CONSOLE_OPTIONS, CONSOLE_SETTINGS } from './console-tokens.js';
import { hideFromSwagger } from './hide-from-swagger.js';

/** A class that provides the options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface SnowflakeConsoleOptionsFactory {
  createSnowflakeConsoleOptions(): SnowflakeConsoleOptions | Promise<SnowflakeConsoleOptions>;
}

/**
 * What `forRootAsync` takes: the path, who may use the console, and optionally the source of the other options, which can also
 * say who may use it.
 */
export type SnowflakeConsoleAsyncOptions = ConfigurableModuleAsyncOptions<
  SnowflakeConsoleOptions,
  'createSnowflakeConsoleOptions'
> &
  SnowflakeConsoleExtras &
  Pick<SnowflakeConsoleOptions, 'authorize'>;

/** Known before the options: what `forRootAsync` takes beside their source. */
type Extras = SnowflakeConsoleExtras & { readonly authorize?: ConsoleAuthorization };

const NOT_GIVEN: Extras = { path: undefined, authorize: undefined };

export const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<SnowflakeConsoleOptions>({
  moduleName: 'SnowflakeConsole',
  optionsInjectionToken: CONSOLE_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createSnowflakeConsoleOptions')
  .setExtras<Extras>(NOT_GIVEN, (definition, { path, authorize }) => {
    const controller = consoleController(checkPath(path));
    const settingsOf = async (options: SnowflakeConsoleOptions): Promise<ConsoleSettings> => {
      await hideFromSwagger(controller);
      return checkConsoleOptions(withAuthorization(options, authorize), process.env['NODE_ENV']);
    };
    return {
      ...definition,
      controllers: [controller],
      providers: [
        ...(definition.providers ?? []),
        { provide: CONSOLE_SETTINGS, useFactory: settingsOf, inject: [CONSOLE_OPTIONS] },
        { provide: CONSOLE_CONTROLLER, useValue: controller },
        AppSubject,
        ConsoleGuard,
        ConsoleHost,
      ],
    };
  })
  .build();

/** Those that the factory returns win. Anything but an object is left for the check. */
function withAuthorization(
  options: SnowflakeConsoleOptions,
  authorize: ConsoleAuthorization | undefined,
): SnowflakeConsoleOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options;
  return { authorize, ...options };
}
