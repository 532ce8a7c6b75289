import { Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { type ConsoleAuthorization, SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { serverConfig } from '../config/orders.config.js';

/** Where the console is mounted. */
export const CONSOLE_PATH = '/snowflake';

/** This backend has no users. In production, its operator decides by an environment variable, and guards the port. */
function authorizationOf({
  servesConsole,
  isProduction,
}: ConfigType<typeof serverConfig>): ConsoleAuthorization {
  return servesConsole && !isProduction ? 'development-only' : () => servesConsole;
}

/** The page that reads IDs and watches the workers. */
@Module({
  imports: [
    SnowflakeConsoleModule.forRootAsync({
      path: CONSOLE_PATH,
      inject: [serverConfig.KEY],
      useFactory: (server: ConfigType<typeof serverConfig>) => ({ authorize: authorizationOf(server) }),
    }),
  ],
})
export class ConsoleModule {}
