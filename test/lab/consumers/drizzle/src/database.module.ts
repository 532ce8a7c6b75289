import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { openDatabase, type Database } from './database.js';
import { ids } from './ids.js';

export const DATABASE = Symbol('database');

@Module({
  providers: [
    {
      provide: DATABASE,
      inject: [SnowflakeIdMaker],
      useFactory: (maker: SnowflakeIdMaker) => {
        ids.bind(maker);
        return openDatabase(process.env.DATABASE_FILE ?? 'shop.sqlite');
      },
    },
  ],
  exports: [DATABASE],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  onApplicationShutdown(): void {
    this.db.$client.close();
  }
}
