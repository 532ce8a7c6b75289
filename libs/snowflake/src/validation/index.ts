export type { ClientIdOptions } from '../core/index.js';
export { IsSnowflakeId, type IsSnowflakeIdOptions } from './is-snowflake-id.js';
export { PublicId, publicIdDecorator, type PublicIdDecorator } from './public-id.js';
