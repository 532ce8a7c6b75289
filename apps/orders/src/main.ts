import type { ConfigType } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { asksForHelp } from '../../shared/src/environment/arguments.js';
import { EnvironmentError } from '../../shared/src/environment/environment.js';
import { helpOf } from '../../shared/src/environment/help.js';
import {
  HTTP_CONFIG,
  type HttpConfig,
  SHUTDOWN_CONFIG,
  type ShutdownConfig,
} from '../../shared/src/environment/server-environment.js';
import { listen } from '../../shared/src/http/listen.js';
import { consoleLogger } from '../../shared/src/logging/console-logger.js';
import { exitAfterGrace } from '../../shared/src/shutdown/last-resort.js';
import { AppModule } from './app.module.js';
import { CONSOLE_PATH } from './console/console.module.js';
import { Environment, readEnvironment } from './config/environment.js';
import { serverConfig } from './config/orders.config.js';
import { harden } from './http/hardening.js';
import { serveApiDescription } from './http/api-description.js';

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

async function start(): Promise<void> {
  // Nest would log an invalid variable with a stack trace, like a bug, so the environment is read before.
  const logger = consoleLogger(readEnvironment(process.env));
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { bodyParser: false, logger });
  const server = app.get<ConfigType<typeof serverConfig>>(serverConfig.KEY);
  harden(app, app.get<HttpConfig>(HTTP_CONFIG));
  if (server.servesDocs) serveApiDescription(app);
  // Ends with exit code 0 after a clean shutdown. By default, the signal would end the process.
  app.enableShutdownHooks(SIGNALS, { useProcessExit: true });
  exitAfterGrace(SIGNALS, app.get<ShutdownConfig>(SHUTDOWN_CONFIG).graceMs);
  announce(await listen(app, server.port), server);
}

function announce(url: string, server: ConfigType<typeof serverConfig>): void {
  console.log(`
Orders is listening on ${url}${server.servesDocs ? `, with the API description at ${url}/docs` : ''}
${server.servesConsole ? `The console for its IDs is at ${url}${CONSOLE_PATH}\n` : ''}Try: curl -s ${url}/customers -H 'content-type: application/json' -d '{"name":"Ada","email":"ada@example.com"}'
`);
}

try {
  if (asksForHelp(process.argv.slice(2)))
    console.log(helpOf('A small backend with customers, products and orders.', Environment));
  else await start();
} catch (error) {
  console.error(error instanceof EnvironmentError ? error.message : error);
  process.exitCode = 1;
}
