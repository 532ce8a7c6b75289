export type { ClientIdOptions } from './core/client-ids/client-id-options.js';
export { IsSnowflakeId, type IsSnowflakeIdOptions } from './validation/is-snowflake-id.js';
export { PublicId, publicIdDecorator, type PublicIdDecorator } from './validation/public-id.js';
