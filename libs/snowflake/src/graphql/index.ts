export type { ClientIdOptions } from '../core/index.js';
export { SnowflakeID, snowflakeIdScalar, type SnowflakeIdScalarOptions } from './snowflake-id.scalar.js';
