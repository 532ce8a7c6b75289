import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ScheduleModule } from '@nestjs/schedule';
import type { SnowflakeServiceExtras } from 'nestjs-snowflake-service';
import { serverConfigs } from '../../shared/src/environment/server-environment.js';
import { RateLimitModule } from '../../shared/src/http/rate-limit.module.js';
import { BoundedShutdown } from '../../shared/src/shutdown/bounded-shutdown.js';
import { Environment } from './config/environment.js';
import { ConsoleModule } from './console/console.module.js';
import { ClientThrottlerGuard } from './grpc/client-throttler.guard.js';
import { HealthModule } from './health/health.module.js';
import { IdsModule } from './ids/ids.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { TokenFile } from './tokens/token-file.js';

@Global()
@Module({ providers: [BoundedShutdown] })
export class AppModule {
  /** @param grpc the gRPC services, if they are served */
  static forRoot(
    environment: Environment,
    tokens: TokenFile,
    grpc?: SnowflakeServiceExtras['grpc'],
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({
          isGlobal: true,
          ignoreEnvFile: true,
          load: serverConfigs(() => environment),
        }),
        // SnowflakeModule registers the lease renewals here, as the intervals `snowflake:lease:<instance>`.
        ScheduleModule.forRoot(),
        IdsModule.forRoot(environment, grpc),
        HealthModule.forRoot(environment),
        MetricsModule,
        ConsoleModule,
        RateLimitModule.forRoot(ClientThrottlerGuard),
      ],
      providers: [
        { provide: Environment, useValue: environment },
        { provide: TokenFile, useValue: tokens },
      ],
      exports: [Environment, TokenFile],
    };
  }
}
