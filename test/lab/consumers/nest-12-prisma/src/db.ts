import { PrismaPg } from '@prisma/adapter-pg';
import { snowflakeIds, type PrismaIdMaker } from 'nestjs-snowflake/prisma';
import { PrismaClient } from './generated/prisma/client.js';
import { snowflakeModels } from './snowflake-models.js';

export function makeDb(ids: PrismaIdMaker) {
  const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL });
  // Prisma rolls a transaction back after 5 s otherwise, which a large batch may take on a busy machine.
  const transactionOptions = { maxWait: 60_000, timeout: 60_000 };
  const client = new PrismaClient({ adapter, transactionOptions });
  return client.$extends(snowflakeIds(ids, snowflakeModels));
}

export type Db = ReturnType<typeof makeDb>;
