import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { grpcTransport, snowflakeGrpc } from 'nestjs-snowflake-service/grpc';
import { freePort } from '../../../test/support/servers/index.js';
import { authorize } from './authorization.js';
import { HOST, listenOnFastify, QUIET } from './nest-apps.js';

export const openServiceOnFastify = (workerId: number): Promise<string> =>
  listenOnFastify(serviceApp(workerId));

export async function openServiceOnExpress(workerId: number): Promise<string> {
  const app = await NestFactory.create(serviceApp(workerId), QUIET);
  await app.listen(0, HOST);
  return app.getUrl();
}

export async function openServiceOverGrpc(workerId: number): Promise<string> {
  const app = await NestFactory.create(serviceApp(workerId), QUIET);
  const url = `${HOST}:${await freePort()}`;
  app.connectMicroservice(snowflakeGrpc({ url }), { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.init();
  return url;
}

function serviceApp(workerId: number): Type {
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId }) }),
      SnowflakeServiceModule.forRoot({ authorize, grpc: grpcTransport }),
    ],
  })
  class AppModule {}
  return AppModule;
}
