/**
 * `SnowflakeModule` and the ID maker. Modules behind `nestjs-snowflake/internal/` are not API: the packages of this project share
 * them, and any release can change them.
 *
 * @module
 */
export * from './maker/index.js';
export { DuplicateInstanceError } from './core/errors/setup-errors.js';
export { getSnowflakeToken, InjectSnowflake } from './nest/snowflake.tokens.js';
export { idMakersIn } from './nest/instances.js';
export { SnowflakeModule } from './nest/snowflake.module.js';
export type {
  SnowflakeModuleAsyncOptions,
  SnowflakeModuleExtras,
  SnowflakeOptionsFactory,
} from './nest/snowflake.module-definition.js';
export type { SnowflakeModuleOptions } from './nest/module-options.js';
