import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { snowflakeGrpc } from 'nestjs-snowflake-service/grpc';
import { freePort } from '../../../test/support/servers/index.js';

const HOST = '127.0.0.1';
const QUIET = { logger: false, abortOnError: false } as const;

/** Returns the address of an app that listens on a free port. */
export async function listenOnFastify(root: Type): Promise<string> {
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), QUIET);
  await app.listen(0, HOST);
  return app.getUrl();
}

export async function listenOnExpress(root: Type): Promise<string> {
  const app = await NestFactory.create(root, QUIET);
  await app.listen(0, HOST);
  return app.getUrl();
}

/** The same for an app that serves gRPC. */
export async function listenWithGrpc(root: Type): Promise<string> {
  const app = await NestFactory.create(root, QUIET);
  const url = `${HOST}:${await freePort()}`;
  app.connectMicroservice(snowflakeGrpc({ url }), { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.init();
  return url;
}
