import 'reflect-metadata';
import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakeServiceModule, type SnowflakeServiceOptions } from 'nestjs-snowflake-service';
import { grpcTransport, snowflakeGrpc, type SnowflakeGrpcOptions } from 'nestjs-snowflake-service/grpc';
import { freePort } from '../../../test/support/servers/index.js';
import { GrpcClient } from './grpc-client.js';
import { authorize } from './service-app.js';

/** An app that serves gRPC on a free port, and a client of it. */
export interface GrpcApp {
  readonly app: INestApplication;
  readonly url: string;
  readonly client: GrpcClient;
  stop(): Promise<void>;
}

export interface GrpcAppOptions {
  readonly service?: Partial<SnowflakeServiceOptions>;
  readonly grpc?: Partial<SnowflakeGrpcOptions>;
  /** Replace those of an ID maker in memory. */
  readonly imports?: readonly DynamicModule[];
  readonly configure?: (app: INestApplication) => void;
}

/** Starts an app with the tokens of the tests. */
export async function startGrpc({
  service,
  grpc,
  imports = [SnowflakeModule.forRoot({ store: memoryLeaseStore() })],
  configure = () => undefined,
}: GrpcAppOptions = {}): Promise<GrpcApp> {
  @Module({
    imports: [...imports, SnowflakeServiceModule.forRoot({ authorize, grpc: grpcTransport, ...service })],
  })
  class AppModule {}
  const url = `127.0.0.1:${await freePort()}`;
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  configure(app);
  app.connectMicroservice(snowflakeGrpc({ url, ...grpc }), { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.init();
  const client = new GrpcClient(url);
  const stop = async (): Promise<void> => {
    client.close();
    await app.close();
  };
  return { app, url, client, stop };
}
