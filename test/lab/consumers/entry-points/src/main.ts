import 'reflect-metadata';
import { type INestApplication, Module, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { entryPoints } from './entry-points/index.js';

const snowflake = SnowflakeModule.forRootAsync({
  useFactory: () => ({ store: memoryLeaseStore({ onlyProcess: true }), lease: { possibleLoss: 'ignore' } }),
});

/** In this order, because a shutdown runs in the reverse one. */
@Module({
  imports: [...Object.values(entryPoints).flatMap(({ imports = [] }) => imports), snowflake],
  controllers: Object.values(entryPoints).flatMap(({ controllers = [] }) => controllers),
  providers: Object.values(entryPoints).flatMap(({ providers = [] }) => providers),
})
class AppModule {}

async function useEntryPoints(app: INestApplication): Promise<Record<string, unknown>> {
  await app.listen(0, '127.0.0.1');
  const given: [string, unknown][] = [];
  for (const [name, entryPoint] of Object.entries(entryPoints))
    given.push([name, await entryPoint.use(app, await app.getUrl())]);
  await app.close();
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'function' ? value() : value]),
  );
}

async function main(): Promise<void> {
  const options: NestApplicationOptions = { logger: ['warn', 'error'], abortOnError: false };
  const express = await useEntryPoints(await NestFactory.create(AppModule, options));
  const fastify = await useEntryPoints(await NestFactory.create(AppModule, new FastifyAdapter(), options));
  console.log(JSON.stringify({ express, fastify }));
}

void main();
