/**
 * A GraphQL scalar for IDs.
 *
 * @module
 */
export type { ClientIdOptions } from '../../core/client-ids/client-id-options.js';
export { SnowflakeID, snowflakeIdScalar, type SnowflakeIdScalarOptions } from './snowflake-id.scalar.js';
