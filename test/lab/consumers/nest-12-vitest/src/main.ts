import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.enableShutdownHooks([], { useProcessExit: true });
process.once('SIGTERM', () => {
  const server = app.getHttpServer() as Server;
  setTimeout(() => server.closeAllConnections(), 8_000).unref();
  setTimeout(() => process.exit(1), 12_000).unref();
});
await app.listen(process.env.PORT ?? 3000);
console.log(await app.getUrl());
