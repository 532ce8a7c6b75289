export { SnowflakeModule } from './snowflake.module.js';
export type { SnowflakeModuleOptions } from './module-options.js';
export type { SnowflakeModuleExtras, SnowflakeOptionsFactory } from './snowflake.module-definition.js';
export { getSnowflakeToken, InjectSnowflake } from './snowflake.tokens.js';
