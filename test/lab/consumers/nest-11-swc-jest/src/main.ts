import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule, {
    logger: ['error', 'warn'],
  });
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
  console.log(await app.getUrl());
}
void bootstrap();
