import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { useContainer } from 'class-validator';
import type { AddressInfo } from 'node:net';
import { AppModule } from './app.module.js';
import { EnvironmentError, readEnvironment } from './config/environment.js';
import { serverConfig } from './config/orders.config.js';
import { serveApiDescription } from './http/api-description.js';

async function start(): Promise<void> {
  // Before Nest reports it with a stack: a wrong variable is a matter for the operator, not for a programmer.
  readEnvironment(process.env);
  const app = await NestFactory.create(AppModule);
  useContainer(app.select(AppModule), { fallbackOnErrors: true });
  serveApiDescription(app);
  // Exit code 0 after a clean shutdown; by default the process would end by the signal itself.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  await listen(app, app.get<{ port: number }>(serverConfig.KEY).port);
}

async function listen(app: INestApplication, port: number): Promise<void> {
  try {
    await app.listen(port);
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new EnvironmentError([`port ${port} is taken; free it or choose another with PORT`]);
  }
  announce(`http://localhost:${(app.getHttpServer().address() as AddressInfo).port}`);
}

function announce(url: string): void {
  console.log(`
Orders is listening on ${url}, the API is described on ${url}/docs
Try: curl -s ${url}/customers -H 'content-type: application/json' -d '{"name":"Ada","email":"ada@example.com"}'
`);
}

try {
  await start();
} catch (error) {
  console.error(error instanceof EnvironmentError ? error.message : error);
  process.exitCode = 1;
}
