import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { OperatorAccess } from '../tokens/operator-access.js';
import { TokenFile } from '../tokens/token-file.js';

/** Where the console is mounted. */
export const CONSOLE_PATH = '/snowflake';

/** The page that reads IDs and watches the workers. */
@Module({
  imports: [
    SnowflakeConsoleModule.forRootAsync({
      path: CONSOLE_PATH,
      inject: [TokenFile, HttpAdapterHost],
      useFactory: (tokens: TokenFile, host: HttpAdapterHost) => ({
        authorize: new OperatorAccess('/console', tokens, host).canActivate,
        // Browsers send the password with requests from other websites too. They can't read the response, but they could use up IDs.
        generate: false,
      }),
    }),
  ],
})
export class ConsoleModule {}
