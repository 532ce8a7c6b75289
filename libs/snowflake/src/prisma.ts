export {
  snowflakeIds,
  type ExtendableClient,
  type PrismaIdMaker,
  type SnowflakeExtension,
} from './prisma/snowflake-ids.js';
export type { SnowflakeModel, SnowflakeModels } from './prisma/snowflake-models.js';
export { verifySnowflakePrisma, type VerifiableClient, type VerifyPrismaOptions } from './prisma/verify.js';
