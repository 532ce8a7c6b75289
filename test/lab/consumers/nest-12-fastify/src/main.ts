import { NestFactory } from '@nestjs/core';
import {
  FastifyAdapter,
  type NestFastifyApplication,
} from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';

const app = await NestFactory.create<NestFastifyApplication>(
  AppModule,
  new FastifyAdapter(),
  {
    logger: ['error', 'warn'],
  },
);
app.enableShutdownHooks();
await app.listen(process.env.PORT ?? 3000);
console.log(await app.getUrl());
