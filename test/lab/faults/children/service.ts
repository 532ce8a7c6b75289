/** A process with a service, imported as a user does. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { bearerTokens, SnowflakeServiceModule } from 'nestjs-snowflake-service';
import type { ServiceJob } from '../support/service-job.js';

const { store, port, token } = JSON.parse(process.argv[2] ?? '') as ServiceJob;
const { namespace, url } = store;
const leases = url?.startsWith('postgres:')
  ? sqlLeaseStore({ url, namespace, createTable: true })
  : redisLeaseStore(store);
const service = SnowflakeServiceModule.forRoot({
  authorize: bearerTokens([{ token, scopes: ['leases'] }]),
  leases: { [namespace]: leases },
});
const app = await NestFactory.create(service, new FastifyAdapter(), { logger: false });
await app.listen(port, '127.0.0.1');
process.send?.({ listening: true });
