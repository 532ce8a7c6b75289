import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { verifySnowflakePrisma } from 'nestjs-snowflake/prisma';
import { PrismaClient } from './generated/prisma/client.js';

@Injectable()
export class PrismaService extends PrismaClient implements OnModuleInit, OnApplicationShutdown {
  constructor() {
    super({
      adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }),
      // Prisma rolls a transaction back after 5 s otherwise, which a large batch may take on a busy machine.
      transactionOptions: { maxWait: 60_000, timeout: 60_000 },
    });
  }

  /** Refuses an adapter that rounds IDs, a key with a default, and a column that is too small. */
  onModuleInit(): Promise<void> {
    return verifySnowflakePrisma(this);
  }

  onApplicationShutdown(): Promise<void> {
    return this.$disconnect();
  }
}
