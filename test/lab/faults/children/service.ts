/** A process with a service, imported as a user does. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { bearerTokens, SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { SERVICE_TOKEN, type ServiceJob } from '../support/lease-service.js';

const { store, port } = JSON.parse(process.argv[2] ?? '') as ServiceJob;

@Module({
  imports: [
    SnowflakeServiceModule.forRoot({
      authorize: bearerTokens([{ token: SERVICE_TOKEN, scopes: ['leases'] }]),
      leases: { [store.namespace]: redisLeaseStore(store) },
    }),
  ],
})
class ServiceModule {}

const app = await NestFactory.create(ServiceModule, new FastifyAdapter(), { logger: false });
await app.listen(port, '127.0.0.1');
process.send?.({ listening: true });
