import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { bigintsAsText } from './bigints-as-text.js';

const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  logger: ['error', 'warn'],
});
bigintsAsText(app);
app.enableShutdownHooks([], { useProcessExit: true });
await app.listen(process.env.PORT ?? 3000);
console.log(await app.getUrl());
