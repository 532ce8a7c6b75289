import type { INestApplication } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo } from 'node:net';
import { AppModule } from './app.module.js';
import { CONSOLE_PATH } from './console/console.module.js';
import { EnvironmentError, readEnvironment } from './config/environment.js';
import { serverConfig, shutdownConfig } from './config/orders.config.js';
import { serveApiDescription } from './http/api-description.js';
import { harden } from './http/hardening.js';
import { exitAfterGrace } from './shutdown/last-resort.js';

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

async function start(): Promise<void> {
  // Before Nest logs it with a stack trace: an invalid variable is the operator's to fix, not a bug.
  readEnvironment(process.env);
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { bodyParser: false });
  const server = app.get<ConfigType<typeof serverConfig>>(serverConfig.KEY);
  harden(app, server);
  if (server.servesDocs) serveApiDescription(app);
  // Ends with exit code 0 after a clean shutdown. By default, the signal would end the process.
  app.enableShutdownHooks(SIGNALS, { useProcessExit: true });
  exitAfterGrace(SIGNALS, app.get<ConfigType<typeof shutdownConfig>>(shutdownConfig.KEY).graceMs);
  await listen(app, server.port);
  announce(app, server);
}

async function listen(app: INestApplication, port: number): Promise<void> {
  try {
    await app.listen(port);
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new EnvironmentError([`port ${port} is in use; free it or set PORT to another one`]);
  }
}

function announce(app: INestApplication, server: ConfigType<typeof serverConfig>): void {
  const url = `http://localhost:${(app.getHttpServer().address() as AddressInfo).port}`;
  console.log(`
Orders is listening on ${url}${server.servesDocs ? `, with the API description at ${url}/docs` : ''}
${server.servesConsole ? `The console for its IDs is at ${url}${CONSOLE_PATH}\n` : ''}Try: curl -s ${url}/customers -H 'content-type: application/json' -d '{"name":"Ada","email":"ada@example.com"}'
`);
}

try {
  await start();
} catch (error) {
  console.error(error instanceof EnvironmentError ? error.message : error);
  process.exitCode = 1;
}
