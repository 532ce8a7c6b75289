import { Controller, Get, Header, Module } from '@nestjs/common';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { register } from 'prom-client';
import { HttpApp } from '../../adapters/http-apps.js';

@Controller('metrics')
class MetricsController {
  @Get()
  @Header('content-type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics();
  }
}

/** Starts an app with two ID makers, one of them on this Redis, that serves its metrics at `/metrics`. */
export function startScrapedApp(redisUrl: string): Promise<HttpApp> {
  @Module({
    imports: [
      SnowflakeModule.forRoot({
        store: redisLeaseStore({ url: redisUrl, namespace: 'shop' }),
        // The bound on a call that follows from the window is too short for a busy machine.
        lease: { windowMs: 4_000, maxSkewMs: 1_000, callTimeoutMs: 500, possibleLoss: 'ignore' },
      }),
      SnowflakeModule.forRoot({ name: 'audit', store: staticLeaseStore({ workerId: 7 }) }),
      SnowflakePrometheusModule.forRoot({ inspect: true }),
    ],
    controllers: [MetricsController],
  })
  class AppModule {}
  return HttpApp.start('Express', AppModule);
}
