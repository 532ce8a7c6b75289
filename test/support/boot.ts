import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Boots an app that serves no HTTP, and logs nothing. */
export function boot(root: Type | DynamicModule): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
}
