import { NestFactory } from '@nestjs/core';
import { bigintsAsText } from 'nestjs-snowflake/http';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, {
  logger: ['error', 'warn'],
});
bigintsAsText(app);
app.enableShutdownHooks([], { useProcessExit: true });
await app.listen(process.env.PORT ?? 3000);
console.log(await app.getUrl());
