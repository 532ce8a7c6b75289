import { Controller, Get, Header, Module } from '@nestjs/common';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { CallMeter } from 'nestjs-snowflake/internal/kit/call-meter';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { memorySegmentStore, SegmentModule } from 'nestjs-snowflake-segments';
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

/** Starts an app with two ID makers, one of them on this Redis, segments, the calls of an ID service and the requests of a series, that serves its metrics at `/metrics`. */
export async function startScrapedApp(redisUrl: string): Promise<HttpApp> {
  const calls = new CallMeter('service');
  const series = new CallMeter('series');

  @Module({
    imports: [
      SnowflakeModule.forRoot({
        store: redisLeaseStore({ url: redisUrl, namespace: 'shop' }),
        // The bound on a call that follows from the window is too short for a busy machine.
        lease: { windowMs: 4_000, maxSkewMs: 1_000, callTimeoutMs: 500, possibleLoss: 'ignore' },
      }),
      SnowflakeModule.forRoot({ name: 'audit', store: staticLeaseStore({ workerId: 7 }) }),
      SegmentModule.forRoot({ store: memorySegmentStore(), tags: ['order'] }),
      SnowflakePrometheusModule.forRoot({ inspect: true }),
    ],
    providers: [
      { provide: 'calls', useValue: calls },
      { provide: 'series', useValue: series },
    ],
    controllers: [MetricsController],
  })
  class AppModule {}
  const app = await HttpApp.start('Express', AppModule);
  calls.record({ operation: 'ids', code: undefined, durationMs: 0.3 });
  calls.record({ operation: 'lease', code: 'SNOWFLAKE_STORE_UNAVAILABLE', durationMs: 40 });
  series.record({ operation: 'invoice', code: undefined, durationMs: 0.8 });
  series.record({ operation: 'invoice', code: 'SNOWFLAKE_SERIES_CONFLICT', durationMs: 5000 });
  return app;
}
