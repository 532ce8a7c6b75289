import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

export const HOST = '127.0.0.1';
export const QUIET = { logger: false, abortOnError: false } as const;

/** Returns the address of an app that listens on a free port. */
export async function listenOnFastify(root: Type): Promise<string> {
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), QUIET);
  await app.listen(0, HOST);
  return app.getUrl();
}
