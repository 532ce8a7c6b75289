export { idMakersIn } from './instances.js';
export { SnowflakeModule } from './snowflake.module.js';
export type { SnowflakeModuleOptions } from './module-options.js';
export type {
  SnowflakeModuleAsyncOptions,
  SnowflakeModuleExtras,
  SnowflakeOptionsFactory,
} from './snowflake.module-definition.js';
export { getSnowflakeToken, InjectSnowflake, requireInstanceName } from './snowflake.tokens.js';
