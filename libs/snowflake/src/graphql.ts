export type { ClientIdOptions } from './core/client-ids/client-id-options.js';
export {
  SnowflakeID,
  snowflakeIdScalar,
  type SnowflakeIdScalarOptions,
} from './graphql/snowflake-id.scalar.js';
