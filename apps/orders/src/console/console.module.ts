import { Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { serverConfig } from '../config/orders.config.js';

/** Where the console is mounted. */
export const CONSOLE_PATH = '/snowflake';

/** The page that reads IDs and watches the workers. This backend has no users, so an environment variable decides. */
@Module({
  imports: [
    SnowflakeConsoleModule.forRootAsync({
      path: CONSOLE_PATH,
      inject: [serverConfig.KEY],
      useFactory: ({ servesConsole }: ConfigType<typeof serverConfig>) => ({
        authorize: () => servesConsole,
      }),
    }),
  ],
})
export class ConsoleModule {}
