import {
  Injectable,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { verifySnowflakePrisma } from 'nestjs-snowflake/prisma';
import { makeDb, type Db } from './db.js';

@Injectable()
export class PrismaService implements OnModuleInit, OnApplicationShutdown {
  readonly db: Db;

  constructor(ids: SnowflakeIdMaker) {
    this.db = makeDb(ids);
  }

  /** Refuses an adapter that rounds IDs, a key with a default, and a column that is too small. */
  onModuleInit(): Promise<void> {
    return verifySnowflakePrisma(this.db);
  }

  onApplicationShutdown(): Promise<void> {
    return this.db.$disconnect();
  }
}
