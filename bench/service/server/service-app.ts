import { Module, type Type } from '@nestjs/common';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { grpcTransport } from 'nestjs-snowflake-service/grpc';
import { authorize } from './authorization.js';

/** An app with the service, for HTTP and gRPC. */
export function serviceApp(workerId: number): Type {
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId }) }),
      SnowflakeServiceModule.forRoot({ authorize, grpc: grpcTransport }),
    ],
  })
  class AppModule {}
  return AppModule;
}
