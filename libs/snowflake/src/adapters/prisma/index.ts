/**
 * A Prisma extension that generates the IDs of new records.
 *
 * @module
 */
export {
  snowflakeIds,
  type ExtendableClient,
  type PrismaIdMaker,
  type SnowflakeExtension,
} from './snowflake-ids.js';
export type { SnowflakeModel, SnowflakeModels } from './snowflake-models.js';
export { verifySnowflakePrisma, type VerifiableClient, type VerifyPrismaOptions } from './verify.js';
