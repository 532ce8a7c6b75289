/**
 * A Nest module that serves the console.
 *
 * @module
 */
export type * from './api/console-api.js';
export { SnowflakeConsoleModule } from './nest/console.module.js';
export type {
  ConsoleAuthorization,
  ConsoleGenerateOptions,
  SnowflakeConsoleExtras,
  SnowflakeConsoleOptions,
} from './nest/console-options.js';
export type {
  SnowflakeConsoleAsyncOptions,
  SnowflakeConsoleOptionsFactory,
} from './nest/console.module-definition.js';
