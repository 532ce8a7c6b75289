/**
 * A decorator that validates IDs with class-validator.
 *
 * @module
 */
export type { ClientIdOptions } from '../../core/client-ids/client-id-options.js';
export { IsSnowflakeId, type IsSnowflakeIdOptions } from './is-snowflake-id.js';
export { PublicId, publicIdDecorator, type PublicIdDecorator } from './public-id.js';
