/** A process with a service, imported as a user does. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { bearerTokens, SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { SERVICE_TOKEN, type ServiceJob } from '../support/lease-service.js';

const { store, port } = JSON.parse(process.argv[2] ?? '') as ServiceJob;
const { namespace, url } = store;
const leases = url?.startsWith('postgres:')
  ? sqlLeaseStore({ url, namespace, createTable: true })
  : redisLeaseStore(store);

@Module({
  imports: [
    SnowflakeServiceModule.forRoot({
      authorize: bearerTokens([{ token: SERVICE_TOKEN, scopes: ['leases'] }]),
      leases: { [namespace]: leases },
    }),
  ],
})
class ServiceModule {}

const app = await NestFactory.create(ServiceModule, new FastifyAdapter(), { logger: false });
await app.listen(port, '127.0.0.1');
process.send?.({ listening: true });
