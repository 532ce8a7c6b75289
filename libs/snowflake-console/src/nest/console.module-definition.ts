import type { ConfigurableModuleAsyncOptions } from '@nestjs/common';
import { featureModule } from 'nestjs-snowflake/internal/kit/nest/feature-module';
import { fromOptions } from 'nestjs-snowflake/internal/kit/nest/deferred-options';
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
import { CONSOLE_CONTROLLER, CONSOLE_SETTINGS } from './console-tokens.js';
import { hideFromSwagger } from './hide-from-swagger.js';

/** A class that provides the options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface SnowflakeConsoleOptionsFactory {
  createSnowflakeConsoleOptions(): SnowflakeConsoleOptions | Promise<SnowflakeConsoleOptions>;
}

/**
 * Options of `forRootAsync`: the path, `authorize`, and optionally the source of the other options. The source can also
 * return `authorize`.
 */
export type SnowflakeConsoleAsyncOptions = ConfigurableModuleAsyncOptions<
  SnowflakeConsoleOptions,
  'createSnowflakeConsoleOptions'
> &
  SnowflakeConsoleExtras &
  Pick<SnowflakeConsoleOptions, 'authorize'>;

/** The options of `forRootAsync` that are known before the others. */
type Extras = SnowflakeConsoleExtras & { readonly authorize?: ConsoleAuthorization };

const OPTIONS = Symbol('nestjs-snowflake-console: options');

export const consoleFeature = featureModule<SnowflakeConsoleOptions, 'createSnowflakeConsoleOptions', Extras>(
  {
    name: 'SnowflakeConsole',
    optionsToken: OPTIONS,
    factoryMethod: 'createSnowflakeConsoleOptions',
    extras: { path: undefined, authorize: undefined },
    remedy: 'Pass at least authorize, e.g. { authorize: AdminGuard }.',
    define({ path, authorize }) {
      const controller = consoleController(checkPath(path));
      const settingsOf = async (options: SnowflakeConsoleOptions): Promise<ConsoleSettings> => {
        await hideFromSwagger(controller);
        // The options that a factory returns override `authorize`.
        return checkConsoleOptions({ authorize, ...options }, process.env['NODE_ENV']);
      };
      return {
        controllers: [controller],
        providers: [
          fromOptions(OPTIONS, { provide: CONSOLE_SETTINGS, useFactory: settingsOf }),
          { provide: CONSOLE_CONTROLLER, useValue: controller },
          AppSubject,
          ConsoleGuard,
          ConsoleHost,
        ],
      };
    },
  },
);
