export { SnowflakeModule } from './snowflake.module.js';
export type {
  SnowflakeModuleExtras,
  SnowflakeModuleOptions,
  SnowflakeOptionsFactory,
} from './snowflake.module-definition.js';
export { getSnowflakeToken, InjectSnowflake } from './snowflake.tokens.js';
